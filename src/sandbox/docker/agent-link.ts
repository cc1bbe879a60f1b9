/**
 * A running container and the way to its agent. Requests go through the input of the engine's program: when this process
 * dies, however it does, that input ends, then the agent, then the container.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';

import { ConfigError, messageOf } from '../../core/errors.js';
import { STATUS_PIPE } from './agent-program.js';
import { createLineReader, readStatus } from './agent-status.js';
import type { AgentStatus } from './agent-status.js';
import { makeNamedPipes, openAtBothEnds, readPipe } from './named-pipes.js';
import { lastLine } from './run-engine.js';
import type { EngineCall } from './run-engine.js';

export interface AgentLink {
  send(request: string): void;
  /** Resolves with a reason once the container has ended. Never rejects. */
  readonly ended: Promise<string>;
  /** Ends the requests, which ends the container. */
  hangUp(): void;
  /** Ends the engine's program, if it does not by itself. */
  kill(): void;
}

type LinkOptions = {
  readonly call: EngineCall;
  readonly args: readonly string[];
  readonly folder: string;
  readonly onStatus: (status: AgentStatus) => void;
};

const START_MS = 60_000;
const MOST_ERRORS = 4_000;

/** Resolves when the agent is up. */
export async function openAgentLink({ call, args, folder, onStatus }: LinkOptions): Promise<AgentLink> {
  const statusPipe = path.join(folder, STATUS_PIPE);
  await makeNamedPipes([statusPipe]);
  const status = readPipe(openAtBothEnds(statusPipe));
  // In a session of its own: Ctrl-C in our terminal is for us.
  const child = spawn(call.file, args, { env: call.env, stdio: ['pipe', 'ignore', 'pipe'], detached: true });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-MOST_ERRORS);
  });
  child.stdin.on('error', () => {});
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(messageOf(error)));
    child.once('close', (code) => resolve(lastLine(errors) || `the container ended with code ${code}`));
  });
  void ended.then(() => status.close());

  const up = new Promise<'up'>((resolve) => {
    const hear = (line: string): void => {
      const heard = readStatus(line);
      if (heard?.kind === 'up') resolve('up');
      else if (heard) onStatus(heard);
    };
    status.listen(createLineReader(hear));
  });
  const link: AgentLink = {
    send: (request) => void child.stdin.write(`${request}\n`),
    ended,
    hangUp: () => void child.stdin.end(),
    kill: () => void child.kill('SIGKILL'),
  };
  const outcome = await withinStart(up, ended);
  if (outcome === 'up') return link;
  link.hangUp();
  throw new ConfigError(`the container of the sandbox could not be started: ${outcome}`);
}

async function withinStart(up: Promise<'up'>, ended: Promise<string>): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`it was not ready within ${START_MS / 1000} s`), START_MS);
  });
  try {
    return await Promise.race([up, ended, late]);
  } finally {
    clearTimeout(timer);
  }
}
