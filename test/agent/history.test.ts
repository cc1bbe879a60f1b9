import fc from 'fast-check';
import { expect, test } from 'vitest';

import { createHistory } from '../../src/agent/history.js';
import type { History, Told } from '../../src/agent/history.js';
import { callId } from '../../src/core/ids.js';
import type { Entry, InputEntry, ReplyEntry } from '../../src/core/model.js';
import type { Answer } from '../../src/core/outcome.js';
import { propertyRuns } from '../support/property-runs.js';

/** Spells an entry so that one can see what became of it. */
const plain = { encode: (entry: Entry) => JSON.stringify(entry) };

const says = (text: string): InputEntry => ({ kind: 'input', role: 'user', content: [{ kind: 'text', text }] });
const replies = (...ids: readonly string[]): ReplyEntry => ({
  kind: 'reply',
  wire: 'responses',
  items: ids.map((id) => ({
    kind: 'call',
    call: { id: callId(id), name: 'look', payload: { kind: 'function', arguments: '{}' } },
  })),
});
const answers = (id: string, text = id, success = true): Answer => ({
  callId: callId(id),
  payloadKind: 'function',
  content: [{ kind: 'text', text }],
  success,
});

const sent = (history: History): readonly Entry[] => JSON.parse(`[${Buffer.from(history.bytes()).toString()}]`);
const entriesOf = (told: readonly Told[]): readonly Entry[] => told.map(({ entry }) => entry);

test('answers are put in the order of their calls, and what nobody asked for is left out', () => {
  const history = createHistory(plain);
  history.reply(replies('one', 'two'));
  history.answer([answers('stranger'), answers('two'), answers('one')]);
  expect(sent(history)).toEqual([
    replies('one', 'two'),
    { kind: 'answers', answers: [answers('one'), answers('two')] },
  ]);
});

test('a call that has no answer when something else is said was aborted', () => {
  const history = createHistory(plain);
  history.reply(replies('one', 'two'));
  history.say(says('Stop.'), 'user');
  expect(sent(history).at(-1)).toEqual(says('Stop.'));
  expect(sent(history)[1]).toEqual({
    kind: 'answers',
    answers: ['one', 'two'].map((id) => answers(id, 'aborted', false)),
  });
});

test('two calls with one id get an answer each', () => {
  const history = createHistory(plain);
  history.reply(replies('same', 'same'));
  history.answer([answers('same', 'first'), answers('same', 'second')]);
  expect(sent(history)[1]).toEqual({
    kind: 'answers',
    answers: [answers('same', 'first'), answers('same', 'second')],
  });
});

test('answers that come when nothing is open say nothing', () => {
  const history = createHistory(plain);
  history.answer([answers('late')]);
  history.reply(replies());
  expect(sent(history)).toEqual([]);
});

test('reasoning stays with what it led to, and goes with what it did not', () => {
  const history = createHistory(plain);
  const [thought, said] = [{ kind: 'reasoning', text: 'Hm.' } as const, { kind: 'message', text: 'Yes.' } as const];
  history.reply({ kind: 'reply', wire: 'chat', items: [thought, said, thought] });
  history.reply({ kind: 'reply', wire: 'chat', items: [thought] });
  expect(sent(history)).toEqual([{ kind: 'reply', wire: 'chat', items: [thought, said] }]);
});

test('another model gets the same conversation in its own spelling', () => {
  const history = createHistory(plain);
  history.say(says('Hello'), 'user');
  history.reply(replies('one'));
  history.use({ ...plain, encode: ({ kind }: Entry) => JSON.stringify(kind) } as never);
  expect(sent(history)).toEqual(['input', 'reply', 'answers']);
});

test('what the server has counted is not estimated again', () => {
  const history = createHistory(plain);
  history.say(says('x'.repeat(400)), 'user');
  expect(history.tokens()).toBeGreaterThan(100);
  history.counted(7);
  expect(history.tokens()).toBe(7);
  const before = history.bytes().length;
  history.say(says('more'), 'user');
  expect(history.tokens()).toBe(7 + Math.ceil((history.bytes().length - before) / 4));
});

type Action =
  | { readonly do: 'say' }
  | { readonly do: 'reply'; readonly ids: readonly string[] }
  | { readonly do: 'answer'; readonly ids: readonly string[] };

const ids = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 4 });
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.constant({ do: 'say' } as const),
  ids.map((each) => ({ do: 'reply', ids: each }) as const),
  ids.map((each) => ({ do: 'answer', ids: each }) as const),
);

test('whatever happens, every call is answered before anything else, and each request extends the one before', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
      const history = createHistory(plain);
      let before = Buffer.alloc(0);
      for (const each of actions) {
        if (each.do === 'say') history.say(says('words'), 'user');
        if (each.do === 'reply') history.reply(replies(...each.ids));
        if (each.do === 'answer') history.answer(each.ids.map((id) => answers(id)));
        // What is open stays open until it is sent, so requests are made now and then.
        if (each.do !== 'answer') continue;
        const now = Buffer.from(history.bytes());
        expect(now.subarray(0, before.length).equals(before)).toBe(true);
        before = now;
      }
      const all = sent(history);
      expect(all).toEqual(JSON.parse(JSON.stringify(entriesOf(history.entries))));
      all.forEach((entry, at) => {
        const next = all[at + 1];
        const calls =
          entry.kind === 'reply' ? entry.items.flatMap((item) => (item.kind === 'call' ? item.call.id : [])) : [];
        const answered = next?.kind === 'answers' ? next.answers.map((answer) => answer.callId) : [];
        expect(answered).toEqual(calls);
      });
    }),
    propertyRuns(100),
  );
});
