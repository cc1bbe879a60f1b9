/** What the frames about a command hold: how it is started, and how it ended. */
import { constants } from 'node:os';

import type { ProcessExit } from '../../core/workspace.js';
import type { Frame } from './frames.js';

export type StartRequest = {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
};

/** The folder, the number of arguments, the arguments, the variables: each with its length in front. */
export function encodeStart({ argv, cwd, env }: StartRequest): Uint8Array {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return Buffer.concat([cwd, String(argv.length), ...argv, ...variables].map(withLength));
}

/** Why it cannot be started anywhere. */
export function startProblem({ argv, cwd, env }: StartRequest): string | undefined {
  if (argv.length === 0 || argv[0] === '') return 'there is no program to start';
  const texts = [...argv, cwd, ...Object.entries(env).flat()];
  return texts.some((text) => text.includes('\0')) ? 'the command contains a NUL character' : undefined;
}

/** Undefined for frames about something else. */
export function decodeExit({ kind, payload }: Frame): ProcessExit | undefined {
  const [number = 0] = payload;
  switch (kind) {
    case 'exited':
      return { kind: 'exited', code: number };
    case 'signalled':
      return { kind: 'signalled', signal: signalName(number), number };
    case 'not_started':
      return { kind: 'not_started', reason: new TextDecoder().decode(payload).trim() };
    default:
      return undefined;
  }
}

function withLength(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function signalName(number: number): string {
  const known = Object.entries(constants.signals).find(([, each]) => each === number);
  return known?.[0] ?? `SIG${number}`;
}
