/** What the pipeline itself costs: a tool that does nothing, called 10,000 times, beside calling its function. */
import { object, string } from 'zod/mini';

import { createRuntime, defineTool, textOutput } from '../src/index.js';
import { createMemoryWorkspace } from '../src/testing/index.js';
import { report } from './report.js';

const CALLS = 10_000;
const ROUNDS = 5;

export async function pipelineCost(): Promise<void> {
  const noop = defineTool({
    name: 'noop',
    description: 'Does nothing.',
    input: object({ text: string() }),
    concurrency: 'shared',
    intent: () => ({ effects: [] }),
    run: ({ text }) => textOutput(text),
  });
  const args = JSON.stringify({ text: 'hello' });
  const payload = { kind: 'function', arguments: args } as const;
  const options = { workspace: createMemoryWorkspace(), builtinTools: [], tools: [noop] };
  const quiet = createRuntime(options);
  let heard = 0;
  const watched = createRuntime({ ...options, listeners: [() => void (heard += 1)] });
  const hooked = createRuntime({
    ...options,
    hooks: [{ name: 'h', beforeCall: () => ({ kind: 'continue' }), afterCall: () => ({ kind: 'keep' }) }],
  });

  const ways: readonly (readonly [name: string, call: () => Promise<unknown>])[] = [
    ['parse the JSON and await a function', async () => textOutput((JSON.parse(args) as { text: string }).text)],
    ['parse with the tool and await a function', async () => textOutput(noop.parse(payload).text)],
    ['runCall', () => quiet.runCall({ name: 'noop', payload })],
    ['runCall, with a listener', () => watched.runCall({ name: 'noop', payload })],
    ['runCall, with a hook', () => hooked.runCall({ name: 'noop', payload })],
    ['runCall to a tool that is not there', () => quiet.runCall({ name: 'nop', payload })],
  ];
  const rows = ways.map(([name, call]) => ({ name, call, samples: [] as number[] }));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { call, samples } of rows) samples.push(await microsecondsEach(call));
  }
  report(rows, 'µs');
}

async function microsecondsEach(call: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  for (let index = 0; index < CALLS; index += 1) await call();
  return ((performance.now() - started) * 1000) / CALLS;
}
