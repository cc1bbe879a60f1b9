import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { SessionLine, SessionSummary } from '../../../src/core/session-log.js';
import { propertyRuns } from '../../support/property-runs.js';
import { AT, allRefused, asked, chosen, decided, finished, sessions, started, turn, userSays } from './lines.js';
import type { Sessions } from './lines.js';

const at = (day: number) => new Date(Date.UTC(2026, 0, day));
const idsOf = (found: readonly SessionSummary[]) => found.map(({ id }) => id);

/** Last used on the days that are given. */
function used(days: Readonly<Record<string, number>>): Sessions {
  const store = sessions();
  for (const [id, day] of Object.entries(days)) {
    store.keep(id, turn('1'), day % 2 === 0 ? '/even' : '/odd');
    utimesSync(store.fileOf(id), at(day), at(day));
  }
  return store;
}

async function summaryOf(lines: readonly SessionLine[]): Promise<SessionSummary> {
  const store = sessions();
  store.keep('a', lines);
  return store.summary('a');
}

describe('the last one', () => {
  test('is that of a folder, or of any', async () => {
    const store = used({ a: 3, b: 4, c: 1 });
    expect(await store.latest()).toBe('b');
    expect(await store.latest('/odd')).toBe('a');
    expect(await store.latest('/nowhere')).toBeUndefined();
  });

  test('begins like a session, however long that beginning is', async () => {
    const store = used({ a: 1 });
    const long = `/${'deep/'.repeat(2_000)}`;
    store.keep('b', turn('1'), long);
    store.keep('c', turn('1'));
    writeFileSync(store.fileOf('c'), 'damaged\n');
    utimesSync(store.fileOf('b'), at(2), at(2));
    utimesSync(store.fileOf('c'), at(3), at(3));
    expect(await store.latest()).toBe('b');
    expect(await store.latest(long)).toBe('b');
  });
});

describe('a list', () => {
  test('tells of each session in a few words', async () => {
    const store = sessions();
    store.keep('a', [chosen('old'), ...turn('1', 'fix  the\n\tbug'), chosen('new'), ...turn('2'), named('Bugs')]);
    utimesSync(store.fileOf('a'), at(5), at(5));
    const expected = {
      id: 'a',
      name: 'Bugs',
      preview: 'fix the bug',
      cwd: '/project',
      model: 'new',
      provider: 'p',
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      usedAt: at(5).toISOString(),
      turns: 2,
      status: 'completed',
    };
    expect(await store.list()).toEqual([expected]);
    expect(await store.summary('a')).toEqual(expected);
  });

  test('begins with the last used', async () => {
    expect(idsOf(await used({ b: 2, c: 3, a: 1 }).list())).toEqual(['c', 'b', 'a']);
  });

  test('is of a folder, a time, or so many', async () => {
    const store = used({ a: 1, b: 2, c: 3, d: 4, e: 5 });
    expect(idsOf(await store.list({ cwd: '/odd' }))).toEqual(['e', 'c', 'a']);
    expect(idsOf(await store.list({ since: at(2), until: at(4) }))).toEqual(['c', 'b']);
    expect(idsOf(await store.list({ limit: 2 }))).toEqual(['e', 'd']);
    expect(idsOf(await store.list({ cwd: '/odd', limit: 2, until: at(5) }))).toEqual(['c', 'a']);
    expect(await store.list({ limit: 0 })).toEqual([]);
  });

  test('is empty where nothing was kept', async () => {
    const store = sessions();
    expect(await store.list()).toEqual([]);
    mkdirSync(store.folder);
    expect(await store.list()).toEqual([]);
  });

  test('passes over what is damaged or something else', async () => {
    const store = sessions();
    store.keep('a');
    for (const name of ['b.jsonl', '.hidden.jsonl', 'notes.txt', 'a b.jsonl']) {
      writeFileSync(path.join(store.folder, name), 'what is this?');
    }
    mkdirSync(path.join(store.folder, 'c.jsonl'));
    expect(idsOf(await store.list())).toEqual(['a']);
  });

  test('has those, too, that are damaged further on', async () => {
    const store = sessions();
    store.keep('a', turn('1'));
    writeFileSync(store.fileOf('a'), `${store.textOf('a')}{"type":"turn.started"}\n\n{"type":"turn.fin`);
    expect(await store.list()).toMatchObject([{ id: 'a', turns: 1, status: 'completed' }]);
  });

  test('cannot be had of what is no folder', async () => {
    const store = sessions();
    writeFileSync(store.folder, '');
    await allRefused([store.list()], `the sessions in ${store.folder} cannot be listed: `);
  });
});

const named = (name: string): SessionLine => ({ type: 'session.named', at: AT, name });
const settled = (callId: string): SessionLine => ({
  type: 'call.settled',
  at: AT,
  callId,
  outcome: 'completed',
  answer: { callId, payloadKind: 'function', content: [], success: true },
});
const intended = (callId: string): SessionLine => ({
  type: 'call.intended',
  at: AT,
  callId,
  attempt: 1,
  confined: true,
  grants: [],
  effects: [],
});

describe('what a session is doing', () => {
  test.each<[string, readonly SessionLine[], Partial<SessionSummary>]>([
    ['nothing yet', [chosen()], { turns: 0, status: 'empty' }],
    ['a turn that was not finished', [...turn('1'), started('2')], { turns: 2, status: 'unfinished' }],
    ['how its last turn ended', [started('1'), ended('failed')], { turns: 1, status: 'failed' }],
  ])('%s', async (_, lines, expected) => {
    expect(await summaryOf(lines)).toMatchObject(expected);
  });

  test.each<[string, readonly SessionLine[], string | undefined]>([
    ['nobody has answered', [asked('c', 'q')], 'may c?'],
    ['the first of several', [asked('c', 'q'), asked('d', 'r')], 'may c?'],
    ['another one was answered', [asked('c', 'q'), asked('d', 'r'), decided('c', 'q')], 'may d?'],
    ['somebody has answered', [asked('c', 'q'), decided('c', 'q')], undefined],
    ['the call was made', [asked('c', 'q'), intended('c')], undefined],
    ['the call is over', [asked('c', 'q'), settled('c')], undefined],
    ['another call was made and is over', [asked('c', 'q'), intended('d'), settled('d')], 'may c?'],
    ['it was asked after an attempt', [intended('c'), asked('c', 'q')], 'may c?'],
    ['the turn is over', [asked('c', 'q'), finished('1')], undefined],
    ['there is another turn', [asked('c', 'q'), started('2')], undefined],
  ])('a question: %s', async (_, lines, waitsFor) => {
    expect((await summaryOf([started('1'), ...lines])).waitsFor).toBe(waitsFor);
  });
});

const ended = (status: 'failed'): SessionLine => ({ type: 'turn.finished', at: AT, turn: '1', status });

describe('a preview', () => {
  const said = (origin: 'context' | 'turn', text: string): SessionLine => ({
    type: 'entry.said',
    origin,
    entry: { kind: 'input', role: 'user', content: [{ kind: 'text', text }] },
  });

  test('is what the user said first', async () => {
    const { preview } = await summaryOf([
      said('context', 'rules'),
      said('turn', 'go'),
      userSays('one'),
      userSays('two'),
    ]);
    expect(preview).toBe('one');
  });

  test('passes over what has no words', async () => {
    const image: SessionLine = {
      type: 'entry.said',
      origin: 'user',
      entry: { kind: 'input', role: 'user', content: [{ kind: 'image', mediaType: 'image/png', base64: '' }] },
    };
    expect((await summaryOf([image, userSays(' \n'), userSays('words')])).preview).toBe('words');
  });

  test('is one line of at most 80 characters that move no cursor', async () => {
    expect((await summaryOf([userSays(`\u001b[2Ja\r\n\u2028b\u0000\u0085${'🎉'.repeat(100)}`)])).preview).toBe(
      `[2Ja b${'🎉'.repeat(74)}`,
    );
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 300 }), async (text) => {
        const { preview } = await summaryOf([userSays(text)]);
        expect(preview).toMatch(/^[^\p{Cc}\u2028\u2029]*$/u);
        expect([...preview].length).toBeLessThanOrEqual(80);
      }),
      propertyRuns(30),
    );
  });
});

describe('a session is found', () => {
  test('by its id, then its name, then how its id begins', async () => {
    const store = sessions();
    store.keep('abcd');
    store.keep('abcdef', [named('nobody')]);
    store.keep('ghijkl', [named('first'), named('abcd')]);
    store.keep('mnopqr', [named('ghij')]);
    expect(await store.find('abcd')).toBe('abcd');
    expect(await store.find('ghij')).toBe('mnopqr');
    expect(await store.find('ghijk')).toBe('ghijkl');
    expect(await store.find('abcde')).toBe('abcdef');
    await allRefused([store.find('first')], 'there is no session "first"');
  });

  test('also when it is damaged, by its id', async () => {
    const store = sessions();
    store.keep('abcdef');
    writeFileSync(store.fileOf('abcdef'), 'damaged');
    expect(await store.find('abcd')).toBe('abcdef');
  });

  test('only by four characters or more', async () => {
    const store = sessions();
    store.keep('abcdef');
    await allRefused(
      [store.find('abc'), store.find(''), store.find('../abcdef'), store.find('abcdefg')],
      'there is no session "',
    );
  });

  test('by nothing that may be several, which are named', async () => {
    const store = used({ abcd1: 1, abcd2: 2, other: 3 });
    await allRefused(
      [store.find('abcd')],
      '"abcd" may be one of several sessions; say the id of one: ' +
        `abcd2 (last used ${at(2).toISOString()}), abcd1 (last used ${at(1).toISOString()})`,
    );
    await store.rename('abcd1', 'twin');
    await store.rename('other', 'twin');
    await allRefused([store.find('twin')], '"twin" may be one of several sessions; say the id of one: ');
    await allRefused([store.find('twin')], 'abcd1 (last used ');
    await allRefused([store.find('twin')], 'other (last used ');
  });

  test('and of very many only some are named', async () => {
    const store = sessions();
    for (let id = 10; id < 25; id += 1) store.keep(`same${id}`);
    await allRefused([store.find('same')], ', 5 more');
  });
});
