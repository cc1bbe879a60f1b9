/** Many sessions at once, and many words with one of them. */
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';

import { createRuntime } from '../src/index.js';
import type { Runtime } from '../src/index.js';
import { measure } from './report.js';
import type { Way } from './report.js';

const SESSIONS = 64;
const ROUND_TRIPS = 1_000;

export async function sessionCost(): Promise<void> {
  const runtime = createRuntime({ cwd: tmpdir(), sandboxMode: 'danger-full-access' });
  await sessionsAtOnce(runtime);
  await roundTrips(runtime);
  await runtime.close();
}

async function sessionsAtOnce(runtime: Runtime): Promise<void> {
  const before = process.memoryUsage.rss();
  const started = performance.now();
  const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => openCat(runtime)));
  const opened = performance.now();
  await Promise.all(sessions.map((session) => write(runtime, session, 'hello\n')));
  const answered = performance.now();
  const grown = (process.memoryUsage.rss() - before) / 1024 / 1024;
  await Promise.all(sessions.map((session) => runtime.sessions.end(session)));
  process.stdout.write(
    `  ${SESSIONS} terminals opened in ${(opened - started).toFixed(0)} ms, each spoken to in ${(answered - opened).toFixed(0)} ms, ` +
      `ended in ${(performance.now() - answered).toFixed(0)} ms, ${grown.toFixed(0)} MB more memory\n`,
  );
}

async function roundTrips(runtime: Runtime): Promise<void> {
  const session = await openCat(runtime);
  const bare = bareCat();
  const ways: readonly Way[] = [
    ['a line to cat through pipes and back', () => bare.trip()],
    ['a line through write_stdin and a terminal', () => write(runtime, session, 'hello\n')],
  ];
  await measure(ways, ROUND_TRIPS);
  bare.end();
}

async function openCat(runtime: Runtime): Promise<number> {
  const { details } = await call(runtime, 'exec_command', { cmd: 'exec cat', tty: true, login: false });
  return details.session ?? 0;
}

async function write(runtime: Runtime, session: number, chars: string): Promise<void> {
  const { text } = await call(runtime, 'write_stdin', { session_id: session, chars });
  if (!text.includes('hello\r\nhello')) throw new Error(text);
}

async function call(runtime: Runtime, name: string, args: object) {
  const { outcome } = await runtime.runCall({ name, payload: { kind: 'function', arguments: JSON.stringify(args) } });
  if (outcome.kind !== 'completed') throw new Error(JSON.stringify(outcome));
  const text = outcome.output.content.map((part) => (part.kind === 'text' ? part.text : '')).join('');
  return { text, details: (outcome.output.details ?? {}) as { session?: number } };
}

function bareCat(): { trip(): Promise<unknown>; end(): void } {
  const child = spawn('/bin/cat', [], { stdio: ['pipe', 'pipe', 'ignore'] });
  return {
    trip() {
      child.stdin.write('hello\n');
      return new Promise((resolve) => child.stdout.once('data', resolve));
    },
    end: () => void child.stdin.end(),
  };
}
