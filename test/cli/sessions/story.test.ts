import { describe, expect, test } from 'vitest';

import { createPaint } from '../../../src/cli/exec/paint.js';
import { describeSession } from '../../../src/cli/sessions/describe-story.js';
import { sessionMarkdown } from '../../../src/cli/sessions/story-markdown.js';
import { storyOf } from '../../../src/cli/sessions/story.js';
import type { SessionLine, SessionSummary } from '../../../src/index.js';

const AT = '2026-01-31T12:00:00.000Z';

function user(text: string): SessionLine {
  const entry = { kind: 'input', role: 'user', content: [{ kind: 'text', text }] } as const;
  return { type: 'entry.said', origin: 'user', entry };
}

function called(id: string, name: string, args: string): SessionLine {
  const call = { id, name, payload: { kind: 'function', arguments: args } } as const;
  return { type: 'item.received', item: { kind: 'call', call } };
}

function started(id: string, callId: string): SessionLine {
  return { type: 'call.started', at: AT, id, callId };
}

function settled(callId: string, text: string, success = true): SessionLine {
  const answer = { callId, payloadKind: 'function', content: [{ kind: 'text', text }], success } as const;
  return { type: 'call.settled', at: AT, callId, outcome: success ? 'completed' : 'rejected', answer };
}

const CONTEXT: SessionLine = {
  type: 'entry.said',
  origin: 'context',
  entry: { kind: 'input', role: 'developer', content: [{ kind: 'text', text: 'surroundings' }] },
};

const LINES: readonly SessionLine[] = [
  { type: 'session.created', v: 1, id: 'nightly', at: AT, cwd: '/project', version: '0' },
  { type: 'settings.chosen', at: AT, model: 'm', provider: 'p' },
  { type: 'turn.started', at: AT, turn: 't1', wire: 'responses' },
  CONTEXT,
  user('look\u001b[2J'),
  { type: 'item.received', item: { kind: 'reasoning', text: 'First.' } },
  called('c', 'list', '{}'),
  called('d', 'write', '{"path":"a"}'),
  started('d', 'd'),
  { type: 'question.asked', at: AT, callId: 'd', id: 'q1', title: 'Write a', reason: 'sure?' },
  started('c', 'c'),
  settled('c', 'a.txt'),
  { type: 'question.decided', at: AT, callId: 'd', id: 'q1', decision: 'deny' },
  settled('d', 'denied', false),
  { type: 'turn.finished', at: AT, turn: 't1', status: 'failed', error: { kind: 'server', message: 'gone' } },
  { type: 'settings.chosen', at: AT, model: 'm', provider: 'p', restore: {} },
  { type: 'settings.chosen', at: AT, model: 'n', provider: 'p', restore: {} },
  { type: 'turn.started', at: AT, turn: 't2', wire: 'responses' },
  user('again'),
  called('c', 'list', '{"all":true}'),
  started('c', 'c-2'),
];

describe('the story of a session', () => {
  test('has each call once, where it was made, with what became of it', () => {
    expect(storyOf(LINES)).toEqual([
      { kind: 'turn', number: 1, at: AT },
      { kind: 'user', text: 'look\u001b[2J' },
      { kind: 'reasoning', text: 'First.' },
      {
        kind: 'call',
        name: 'list',
        input: '{}',
        questions: [],
        end: expect.objectContaining({ outcome: 'completed' }),
      },
      {
        kind: 'call',
        name: 'write',
        input: '{"path":"a"}',
        questions: [{ id: 'q1', title: 'Write a', decision: 'deny' }],
        end: expect.objectContaining({ outcome: 'rejected' }),
      },
      { kind: 'note', text: 'the turn failed: gone' },
      { kind: 'note', text: 'from here on with n of p' },
      { kind: 'turn', number: 2, at: AT },
      { kind: 'user', text: 'again' },
      { kind: 'call', name: 'list', input: '{"all":true}', questions: [] },
    ]);
  });
});

test('a call that was cut off has what the model was told in the place of a result', () => {
  const answer = {
    callId: 'c',
    payloadKind: 'function',
    content: [{ kind: 'text', text: 'verify' }],
    success: false,
  } as const;
  const lines: readonly SessionLine[] = [...LINES, { type: 'answers.given', answers: [{ answer }] }];
  expect(storyOf(lines).at(-1)).toMatchObject({ name: 'list', input: '{"all":true}', end: { answer } });
  const shown = describeSession(SUMMARY, storyOf(lines), createPaint('never', {})).join('\n');
  expect(shown).toContain('called list {"all":true}\n  cut off\n  verify');
});

const SUMMARY: SessionSummary = {
  id: 'nightly',
  preview: 'look',
  cwd: '/project',
  model: 'm',
  provider: 'p',
  createdAt: AT,
  usedAt: AT,
  turns: 2,
  status: 'unfinished',
};

test('a person reads it below words of ours, and a terminal obeys none of it', () => {
  const shown = describeSession(SUMMARY, storyOf(LINES), createPaint('never', {})).join('\n');
  expect(shown).toContain(
    [
      'you',
      String.raw`  look\u{1b}[2J`,
      'thinking',
      '  First.',
      'called list {}',
      '  completed',
      '  a.txt',
      'called write {"path":"a"}',
      '  asked: Write a: deny',
      '  rejected',
      '  denied',
      'note: the turn failed: gone',
    ].join('\n'),
  );
  expect(shown).toContain('called list {"all":true}\n  has not ended');
});

test('where no model was ever asked, none is named', () => {
  const shown = describeSession({ ...SUMMARY, model: '', provider: '' }, [], createPaint('never', {}));
  expect(shown.filter((line) => line.startsWith('model'))).toEqual([]);
});

test('not even what we write ourselves is believed: somebody may have edited it', () => {
  const evil = '\u001b]0;mine\u0007\n# mine';
  const answer = { callId: 'c', payloadKind: 'function', content: [], success: true };
  const lines = [
    { type: 'turn.started', at: evil, turn: 't1', wire: 'responses' },
    called('c', 'list', '{}'),
    started('c', 'c'),
    { type: 'question.asked', at: AT, callId: 'c', id: 'q1', title: 'List', reason: 'sure?' },
    { type: 'question.decided', at: AT, callId: 'c', id: 'q1', decision: evil },
    { type: 'call.settled', at: AT, callId: 'c', outcome: evil, by: evil, answer },
    { type: 'plan.updated', plan: [{ step: 'Measure', status: evil }] },
  ] as readonly unknown[] as readonly SessionLine[];
  const shown = describeSession(SUMMARY, storyOf(lines), createPaint('never', {})).join('\n');
  expect(shown.match(/mine/g)).toHaveLength(10);
  expect(shown).not.toMatch(/[\u001b\u0007]|^# mine/m);
  expect(sessionMarkdown(SUMMARY, storyOf(lines))).not.toMatch(/^# mine/m);
});

describe('as Markdown', () => {
  test('what others wrote is quoted or fenced', () => {
    const shown = sessionMarkdown(SUMMARY, storyOf(LINES));
    expect(shown).toMatch(/^# look\n\n- session: `nightly`\n/);
    expect(shown).toContain('**Call** `list`\n\n```\n{}\n```\n\ncompleted:\n\n```\na.txt\n```\n\n');
    expect(shown).toContain('Asked:\n\n- Write a: deny\n\nrejected:\n\n');
  });

  test('a fence is longer than any inside', () => {
    const story = storyOf([called('c', 'list', '````'), started('c', 'c'), settled('c', '```\n# no heading\n```')]);
    const shown = sessionMarkdown(SUMMARY, story);
    expect(shown).toContain('`````\n````\n`````');
    expect(shown).toContain('````\n```\n# no heading\n```\n````');
  });

  test('a quote has no line outside', () => {
    expect(sessionMarkdown(SUMMARY, storyOf([user('one\n# two')]))).toContain('**You**\n\n> one\n> # two\n');
  });
});
