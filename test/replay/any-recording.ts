/** Any session at all: turns, responses, calls that are asked about, tried and answered. */
import fc from 'fast-check';

import type { LineOf, SessionLine } from '../../src/index.js';

type Settled = LineOf<'call.settled'>;

const AT = '2026-01-01T00:00:00.000Z';

/** Also such as a mask makes something else of. */
const words = fc
  .array(fc.constantFrom('/project/a', 'code 0', 'in 3s', 'pid 4', '61097', 'Wall time: 2 seconds', 'é', '$&'))
  .map((all) => all.join('\n'));

const outcome = fc.constantFrom<Settled['outcome']>('completed', 'failed', 'rejected', 'crashed');

const call = fc.record({
  name: fc.constantFrom('first', 'second'),
  asked: fc.boolean(),
  attempts: fc.integer({ min: 0, max: 2 }),
  outcome,
  text: words,
  leaves: fc.boolean(),
});

const turn = fc.record({
  said: words,
  context: fc.array(words, { maxLength: 2 }),
  prompt: words,
  responses: fc.array(fc.array(call, { maxLength: 3 }), { minLength: 1, maxLength: 3 }),
  status: fc.constantFrom('completed', 'failed', 'stopped' as const),
});

type Call = typeof call extends fc.Arbitrary<infer Value> ? Value : never;
type Turn = typeof turn extends fc.Arbitrary<infer Value> ? Value : never;

export const anyRecording: fc.Arbitrary<readonly SessionLine[]> = fc
  .array(turn, { minLength: 1, maxLength: 3 })
  .map((turns) => [CREATED].concat(turns.flatMap(linesOf)));

const CREATED: SessionLine = {
  type: 'session.created',
  v: 1,
  id: 'session',
  at: AT,
  cwd: '/project',
  version: '0',
};

function linesOf({ said, context, prompt, responses, status }: Turn, number: number): readonly SessionLine[] {
  const turnId = `session-${number + 1}`;
  return [
    { type: 'turn.started', at: AT, turn: turnId, wire: 'responses' },
    ...context.map((text) => inputLine('context', text)),
    inputLine('user', said),
    { type: 'request.shaped', request: { model: 'a-model', instructions: prompt, tools: [] } },
    ...responses.flatMap((calls, at) => responseLines(calls, `call_${number}_${at}`)),
    { type: 'turn.finished', at: AT, turn: turnId, status },
  ];
}

function inputLine(origin: 'context' | 'user', text: string): SessionLine {
  return { type: 'entry.said', origin, entry: { kind: 'input', role: 'user', content: [{ kind: 'text', text }] } };
}

function responseLines(calls: readonly Call[], name: string): readonly SessionLine[] {
  const ids = calls.map((_, at) => `${name}_${at}`);
  return [
    ...calls.flatMap(({ name: tool }, at): SessionLine[] => {
      const id = ids[at] ?? '';
      const made = { id, name: tool, payload: { kind: 'function', arguments: '{}' } } as const;
      return [
        { type: 'item.received', item: { kind: 'call', call: made } },
        { type: 'call.started', at: AT, id, callId: id },
      ];
    }),
    ...calls.flatMap((each, at) => callLines(each, ids[at] ?? '', at)).toReversed(),
    { type: 'response.read', wire: 'responses', stop: 'end' },
    ...(calls.length > 0 ? [{ type: 'answers.given', answers: ids.map((of) => ({ of })) } as const] : []),
  ];
}

/** The last first: calls need not end in the order in which they began. */
function callLines({ asked, attempts, outcome: ended, text, leaves }: Call, callId: string, at: number): SessionLine[] {
  const lines: SessionLine[] = [
    ...(asked ? [{ type: 'question.asked', at: AT, callId, id: callId, title: text, reason: 'why' } as const] : []),
    ...Array.from({ length: attempts }, (_, index) => ({
      type: 'call.intended' as const,
      at: AT,
      callId,
      attempt: index + 1,
      confined: true,
      grants: [],
      effects: [{ kind: 'exec' as const, argv: ['/bin/sh', '-c', text], cwd: '/project' }],
    })),
    ...(leaves ? [{ type: 'program.left', callId, session: 61_097 + at, argv: ['sleep'] } as const] : []),
    {
      type: 'call.settled',
      at: AT,
      callId,
      outcome: ended,
      answer: {
        callId,
        payloadKind: 'function',
        content: [{ kind: 'text', text }],
        success: ended === 'completed',
      },
    },
  ];
  return lines.toReversed();
}
