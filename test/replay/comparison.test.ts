import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { Divergence, LineOf, SessionLine } from '../../src/index.js';
import { createComparison } from '../../src/replay/comparison.js';
import { createSessionRecord } from '../../src/replay/session-record.js';
import { propertyRuns } from '../support/property-runs.js';
import { anyRecording } from './any-recording.js';

/** What shows when the one is the recording and the other what is played, line by line. */
function compared(recorded: readonly SessionLine[], replayed: readonly SessionLine[]): readonly Divergence[] {
  const [record, replay] = [createSessionRecord(recorded), createSessionRecord()];
  const comparison = createComparison({
    record,
    replay,
    recordedIn: { folders: ['/project'] },
    replayedIn: { folders: ['/project'] },
    ignore: [],
    checkPrompt: true,
    toolsArePlayed: false,
  });
  let played = 0;
  return replayed.flatMap((line) => {
    replay.take(line);
    const act = record.acts[played];
    if (line.type === 'turn.started' && act) comparison.begin(act);
    const found = comparison.after(line);
    if (line.type !== 'turn.finished') return found;
    played += 1;
    return [...found, ...comparison.end({ wasStopped: false })];
  });
}

type Settled = LineOf<'call.settled'>;

function withText(line: Settled, change: (text: string) => string): Settled {
  const content = line.answer.content.map((part) =>
    part.kind === 'text' ? { ...part, text: change(part.text) } : part,
  );
  return { ...line, answer: { ...line.answer, content } };
}

test('a recording compared with itself never differs', () => {
  fc.assert(
    fc.property(anyRecording, (lines) => {
      expect(compared(lines, structuredClone(lines))).toEqual([]);
    }),
    propertyRuns(200),
  );
});

test('a change of one answer always shows, at its call and nowhere else', () => {
  fc.assert(
    fc.property(anyRecording, fc.nat(), (lines, at) => {
      const calls = lines.filter((line) => line.type === 'call.settled');
      const changed = calls[at % Math.max(1, calls.length)];
      fc.pre(changed !== undefined);
      const other = lines.map((line) =>
        line === changed ? withText(changed, (text) => `${text}\nbut not quite`) : line,
      );
      const found = compared(lines, other);
      expect(found.map(({ call, what }) => [call?.id, what])).toEqual([[changed?.callId, 'answer']]);
      expect(found[0]?.diff).toContain('but not quite');
    }),
    propertyRuns(200),
  );
});

test('what may differ never shows', () => {
  fc.assert(
    fc.property(anyRecording, fc.integer({ min: 0, max: 9 }), (lines, digit) => {
      const other = lines.map((line) =>
        line.type === 'call.settled'
          ? withText(line, (text) => text.replaceAll(/(?<=in |pid |time: )\d/g, String(digit)))
          : line,
      );
      expect(compared(lines, other)).toEqual([]);
    }),
    propertyRuns(200),
  );
});

describe('a diff', () => {
  const [started, said, item, call, settled] = [
    { type: 'turn.started', at: '', turn: 't', wire: 'chat' },
    { type: 'entry.said', origin: 'user', entry: { kind: 'input', role: 'user', content: [] } },
    {
      type: 'item.received',
      item: { kind: 'call', call: { id: 'c', name: 'n', payload: { kind: 'custom', input: '' } } },
    },
    { type: 'call.started', at: '', id: 'c', callId: 'c' },
    {
      type: 'call.settled',
      at: '',
      callId: 'c',
      outcome: 'completed',
      answer: { callId: 'c', payloadKind: 'custom', content: [{ kind: 'text', text: '' }], success: true },
    },
  ] as const satisfies readonly SessionLine[];

  function between(one: string, other: string): string {
    const answers = [one, other].map((text): readonly SessionLine[] => [
      started,
      said,
      item,
      call,
      withText(settled, () => text),
      { type: 'answers.given', answers: [{ of: 'c' }] },
    ]);
    return compared(answers[0] ?? [], answers[1] ?? [])[0]?.diff ?? 'no difference';
  }

  test('shows both sides of what is long', () => {
    const long = Array.from({ length: 500 }, (_, at) => `line ${at}`).join('\n');
    expect(between(long, 'short')).toMatch(/^@@[^]*-line 11\n… \d+ more lines\n\+short$/);
  });

  test('breaks lines that nobody could read', () => {
    const long = 'word '.repeat(1000);
    const diff = between(`${long}one ${long}`, `${long}two ${long}`);
    expect(Math.max(...diff.split('\n').map((line) => line.length))).toBeLessThan(130);
    expect(diff).toMatch(/^-.*one /m);
    expect(diff).toMatch(/^\+.*two /m);
  });

  test('tells a last line with its end from one without', () => {
    expect(between('a\n', 'a')).not.toBe('no difference');
    expect(between('a\n', 'a')).not.toBe('');
  });
});
