import { describe, expect, test } from 'vitest';

import { textOutput } from '../../src/index.js';
import type { RuntimeOptions, Tool } from '../../src/index.js';
import { actingTool, functionCall, testRuntime, textOf } from '../support/runtime.js';

const saying = (name: string, text: string, rest: Partial<Tool> = {}): Tool =>
  actingTool(name, async () => textOutput(text), rest);
const names = (options: RuntimeOptions) =>
  testRuntime(options)
    .specs('responses')
    .map((spec) => spec['name']);

describe('the tools of a runtime', () => {
  test('are told in one order, whatever order they came in', () => {
    expect(names({ tools: [saying('b', ''), saying('a_2', ''), saying('B', ''), saying('a', '')] })).toEqual([
      'B',
      'a',
      'a_2',
      'b',
    ]);
  });

  test('a second tool of the same name is refused, and that is told', async () => {
    const runtime = testRuntime({ tools: [saying('same', 'first'), saying('same', 'second')] });
    expect(textOf(await runtime.runCall({ name: 'same', payload: functionCall('') }))).toBe('first');
    expect(runtime.record.of('tool.refused')).toMatchObject([
      { name: 'same', reason: 'a tool called "same" is already there; the first one stays' },
    ]);
  });

  test.each(['', 'has space', 'dot.ted', 'x'.repeat(65), 'ünïcode'])(
    'the name %j is refused, and that is told',
    (name) => {
      const runtime = testRuntime({ tools: [saying(name, '')] });
      expect(runtime.tools).toEqual([]);
      expect(runtime.record.of('tool.refused').map((event) => event.name)).toEqual([name]);
    },
  );

  test('cannot be changed once they were told', () => {
    const [spec] = testRuntime({ tools: [saying('a', '')] }).tools;
    expect(Object.isFrozen(spec?.spec)).toBe(true);
    expect(() => {
      Object.assign(spec?.spec ?? {}, { description: 'other' });
    }).toThrow(TypeError);
  });

  test('answer to their old names too, but an own name goes first', async () => {
    const runtime = testRuntime({
      tools: [saying('new', 'new', { aliases: ['old', 'taken'] }), saying('taken', 'taken')],
    });
    const say = async (name: string) => textOf(await runtime.runCall({ name, payload: functionCall('') }));
    expect([await say('old'), await say('taken')]).toEqual(['new', 'taken']);
  });
});

test('of two tools with the same old name the first one answers, and that is told', async () => {
  const runtime = testRuntime({
    tools: [saying('a', 'a', { aliases: ['old'] }), saying('b', 'b', { aliases: ['old'] })],
  });
  expect(textOf(await runtime.runCall({ name: 'old', payload: functionCall('') }))).toBe('a');
  expect(runtime.record.of('tool.refused')).toMatchObject([
    { name: 'old', reason: 'two tools answer to this name; the first one stays' },
  ]);
});

test('a name nobody has leads to those a model can call, in the order in which it was told of them', async () => {
  const ofServer: Partial<Tool> = { spec: { kind: 'hosted', name: 'ask_the_server' } };
  const runtime = testRuntime({ tools: [saying('b', ''), saying('x', '', ofServer), saying('a', '')] });
  const say = async (name: string) => textOf(await runtime.runCall({ name, payload: functionCall('') }));
  expect([await say('something'), await say('ask_the_servr')]).toEqual([
    'unsupported call: something. Available: a, b.',
    'unsupported call: ask_the_servr. Available: a, b.',
  ]);
});

describe('the selection', () => {
  const experimental = saying('lab', 'lab', { experimental: true });
  const hidden = saying('hidden', 'hidden', { offer: () => 'callable' });

  test('offers an experimental tool only when it is asked for', () => {
    expect(names({ tools: [experimental] })).toEqual([]);
    expect(names({ tools: [experimental], selection: { experimental: ['lab'] } })).toEqual(['lab']);
  });

  test('lets a tool be callable without being told of', async () => {
    const runtime = testRuntime({ tools: [hidden] });
    expect(runtime.specs('chat')).toEqual([]);
    expect(textOf(await runtime.runCall({ name: 'hidden', payload: functionCall('') }))).toBe('hidden');
  });

  test('that names a tool nobody has says so', () => {
    const runtime = testRuntime({ tools: [experimental], selection: { overrides: { labb: true } } });
    expect(runtime.record.of('tool.refused')).toMatchObject([
      { name: 'labb', reason: 'the configuration names it, but there is no such tool' },
    ]);
  });

  test('gives the user the last word', async () => {
    const overrides = { lab: true, hidden: true, plain: false };
    expect(names({ tools: [experimental, hidden, saying('plain', '')], selection: { overrides } })).toEqual([
      'hidden',
      'lab',
    ]);
  });
});
