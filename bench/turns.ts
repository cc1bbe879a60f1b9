/**
 * What a turn with one call costs at several lengths of the history, beside posting the same bytes by hand and reading the
 * answers. What a long history costs beyond its bytes is the difference between the ratios.
 */
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { Agent, request } from 'node:http';
import path from 'node:path';
import { number, object } from 'zod/mini';

import { createModel, createRuntime, createSession, defineProvider, defineTool, textOutput } from '../src/index.js';
import type { AgentSession } from '../src/index.js';
import { createMemoryWorkspace } from '../src/testing/index.js';
import { measure } from './report.js';

const LENGTHS = [10, 100, 400];
const ENTRY_BYTES = 8 * 1024;
const CALLS_AT_ONCE = 10;
const ROUNDS = 12;

export async function turnCost(): Promise<void> {
  for (const length of LENGTHS) {
    const server = fork(path.join(import.meta.dirname, 'turns-server.ts'), { stdio: 'inherit' });
    try {
      await turnAt(length, await addressOf(server));
    } finally {
      server.kill();
    }
  }
}

function addressOf(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('message', (baseUrl: string) => resolve(baseUrl));
    server.once('exit', () => reject(new Error('the server of the benchmark did not start')));
  });
}

async function turnAt(length: number, baseUrl: string): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { session, close } = openSession(baseUrl);
  for (let left = length; left > 0; left -= CALLS_AT_ONCE) {
    await say(session, Math.min(left, CALLS_AT_ONCE), ENTRY_BYTES);
  }
  const input = Array.from({ length }, () => 'x'.repeat(ENTRY_BYTES));
  const body = Buffer.from(JSON.stringify({ stream: true, input }));
  const byHand = async () => {
    for (let requests = 0; requests < 2; requests += 1) await post(`${baseUrl}/responses`, body, agent);
  };
  await measure(
    [
      [`two posts by hand, ${length} entries`, byHand],
      [`a turn with a call, ${length} entries`, () => say(session, 1, 10)],
    ],
    ROUNDS,
  );
  agent.destroy();
  await close();
}

function openSession(baseUrl: string): { readonly session: AgentSession; readonly close: () => Promise<void> } {
  const noop = defineTool({
    name: 'noop',
    description: 'Does nothing.',
    input: object({ index: number(), size: number() }),
    concurrency: 'shared',
    intent: () => ({ effects: [] }),
    run: ({ size }) => textOutput('x'.repeat(size)),
  });
  const runtime = createRuntime({ workspace: createMemoryWorkspace(), builtinTools: [], tools: [noop] });
  const provider = defineProvider('bench', { base_url: baseUrl, wire_api: 'responses' });
  const model = createModel({ provider, model: 'bench', env: {}, version: '0.0.0' });
  const session = createSession({ runtime, model, instructions: 'Call noop.' });
  const close = async () => {
    model.close();
    await runtime.close();
  };
  return { session, close };
}

async function say(session: AgentSession, calls: number, bytes: number): Promise<void> {
  const { status, error } = await session.send(`call ${calls} times for ${bytes} bytes`);
  if (status !== 'completed') throw new Error(`the turn was not completed: ${JSON.stringify(error)}`);
}

function post(url: string, body: Buffer, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent }, (response) => response.resume().once('end', resolve));
    sent.once('error', reject);
    sent.end(body);
  });
}
