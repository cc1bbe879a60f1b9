import fc from 'fast-check';
import { expect, test } from 'vitest';
import { safeParse } from 'zod/mini';

import type { ExecEvent } from '../../../src/cli/exec/exec-event.js';
import { execEventSchema } from '../../../src/cli/exec/exec-event-schema.js';
import { propertyRuns } from '../../support/property-runs.js';
import { told } from './told.js';
import type { Happening } from './told.js';

const callId = fc.constantFrom('a', 'b');
const turn = fc.constant('t');
const text = fc.string({ maxLength: 8 });
const path = text.map((name) => `/w/${name}`);
const usage = fc.constant({
  inputTokens: 1,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  outputTokens: 1,
  reasoningOutputTokens: 0,
});

const effect = fc.oneof(
  fc.record({ kind: fc.constant('exec' as const), argv: fc.array(text, { minLength: 1 }), cwd: path }),
  fc.record({ kind: fc.constant('write' as const), path, diff: text }),
  fc.record({ kind: fc.constant('read' as const), path }),
  fc.record({
    kind: fc.constant('remote' as const),
    server: fc.constantFrom('s', 'web_search'),
    tool: text,
    readOnly: fc.boolean(),
    destructive: fc.boolean(),
  }),
);

const details = fc.option(
  fc.oneof(
    fc.record({ exit: fc.anything() }),
    fc.record({ exit: fc.record({ kind: fc.constant('exited'), code: fc.integer({ min: 0, max: 255 }) }) }),
  ),
  { nil: undefined },
);

/** Anything that may come, in any order: a reader must not depend on calls behaving. */
const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({
    type: fc.constant('call.started' as const),
    callId,
    name: text,
    payload: fc.oneof(
      fc.record({ kind: fc.constant('function' as const), arguments: fc.oneof(text, fc.json({ maxDepth: 1 })) }),
      fc.record({ kind: fc.constant('custom' as const), input: text }),
      fc.record({ kind: fc.constant('local_shell' as const), argv: fc.array(text) }),
    ),
  }),
  fc.record({
    type: fc.constant('verdict.reached' as const),
    callId,
    verdict: fc.constantFrom('allow' as const, 'deny' as const),
    confined: fc.boolean(),
    rule: fc.record({ name: text }),
    effects: fc.array(effect, { maxLength: 3 }),
  }),
  fc.record({
    type: fc.constant('attempt.started' as const),
    callId,
    attempt: fc.constantFrom(1, 2),
    confined: fc.boolean(),
    grants: fc.constant([]),
  }),
  fc.record({
    type: fc.constant('output.delta' as const),
    callId,
    stream: fc.constant('stdout' as const),
    text,
    omitted: fc.nat(),
  }),
  fc.record({
    type: fc.constant('files.changed' as const),
    callId,
    files: fc.array(fc.record({ path, change: fc.constantFrom('added' as const, 'deleted' as const) })),
  }),
  fc.record({ type: fc.constant('plan.updated' as const), callId, plan: fc.constant([]) }),
  fc.record({
    type: fc.constant('session.opened' as const),
    callId,
    session: fc.nat(),
    argv: fc.constant(['x']),
    cwd: path,
    tty: fc.boolean(),
  }),
  fc.record({
    type: fc.constant('session.ended' as const),
    callId,
    session: fc.nat(),
    exit: fc.record({ kind: fc.constant('exited' as const), code: fc.nat(255) }),
  }),
  fc.record({
    type: fc.constant('call.finished' as const),
    callId,
    name: text,
    outcome: fc.constantFrom('completed' as const, 'failed' as const, 'rejected' as const, 'aborted' as const),
    success: fc.boolean(),
    durationMs: fc.nat(),
    content: fc.constant([{ kind: 'text' as const, text: 'answer' }]),
    details,
  }),
  fc.record({
    type: fc.constant('hosted.finished' as const),
    turn,
    id: fc.uuid(),
    name: fc.constantFrom('web_search', 'other'),
    detail: fc.dictionary(fc.constantFrom('action', 'query', 'x'), fc.anything()),
  }),
  fc.record({
    type: fc.constant('turn.finished' as const),
    turn,
    status: fc.constantFrom('completed' as const, 'failed' as const, 'interrupted' as const),
    usage,
    total: usage,
    requests: fc.nat(),
  }),
);

/** What became of each item: the types of the lines that were about it. */
function livesOf(events: readonly ExecEvent[]): ReadonlyMap<string, string> {
  const lives = new Map<string, string>();
  for (const event of events) {
    if ('item' in event) lives.set(event.item.id, `${lives.get(event.item.id) ?? ''}${event.type.slice(5, 6)}`);
  }
  return lives;
}

test('whatever happens, each line fits the schema, and each item begins and ends at most once', () => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 40 }), (happenings) => {
      const lines = told(...happenings);
      expect(lines.flatMap((line) => safeParse(execEventSchema, line).error?.issues ?? [])).toEqual([]);
      for (const life of livesOf(lines).values()) expect(life).toMatch(/^(s?u*c|su*)$/);
    }),
    propertyRuns(300),
  );
});

test('at the end of a turn nothing is left that was begun by a call which was answered', () => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 40 }), (happenings) => {
      const answered = (['a', 'b'] as const).map((id): Happening => ({
        type: 'call.finished',
        callId: id,
        name: 'n',
        outcome: 'completed',
        success: true,
        durationMs: 1,
        content: [],
      }));
      const noUsage = { inputTokens: 0, cachedInputTokens: 0, cacheWriteInputTokens: 0, outputTokens: 0 };
      const counts = { ...noUsage, reasoningOutputTokens: 0 };
      const end: Happening = {
        type: 'turn.finished',
        turn: 't',
        status: 'completed',
        usage: counts,
        total: counts,
        requests: 1,
      };
      // A call that is begun again under the same id, while it runs, is forgotten.
      const once = happenings.filter(
        (each, index) =>
          each.type !== 'call.started' ||
          !happenings.slice(0, index).some((other) => other.type === 'call.started' && other.callId === each.callId),
      );
      for (const life of livesOf(told(...once, ...answered, end)).values()) expect(life).toMatch(/c$/);
    }),
    propertyRuns(200),
  );
});
