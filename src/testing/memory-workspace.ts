/** A workspace without a disk or processes: files are given as text, programs as functions. */
import path from 'node:path';

import { absolutePath } from '../core/paths.js';
import type { Files } from '../core/files.js';
import type { Command, ProcessExit, Workspace } from '../core/workspace.js';
import { createMemoryFiles } from './memory-files.js';

/** Stands in for every program that is started; prints through `command.onOutput`. */
export type ScriptedProgram = (command: Command) => Promise<ProcessExit> | ProcessExit;

export type MemoryWorkspaceOptions = {
  /** Default `/workspace`. */
  readonly cwd?: string;
  /** Paths relative to `cwd`, or absolute. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly program?: ScriptedProgram;
};

export function createMemoryWorkspace({
  cwd = '/workspace',
  files = {},
  program,
}: MemoryWorkspaceOptions = {}): Workspace {
  return {
    cwd: absolutePath(cwd),
    files: memoryFiles(cwd, files),
    async spawn(command) {
      const killed = new AbortController();
      const death = new Promise<ProcessExit>((resolve) => {
        killed.signal.addEventListener('abort', () => resolve({ kind: 'signalled', signal: 'SIGKILL', number: 9 }));
      });
      const exit = Promise.race([program ? program(command) : notFound(command), death]);
      return { pid: undefined, exit, interrupt: () => killed.abort(), end: async () => killed.abort() };
    },
    shellCommand: (script) => ['sh', '-c', script],
  };
}

function memoryFiles(cwd: string, files: Readonly<Record<string, string | Uint8Array>>): Files {
  const contents = Object.entries(files).map(([name, text]) => [path.resolve(cwd, name), Buffer.from(text)] as const);
  return createMemoryFiles(new Map(contents), [cwd]);
}

function notFound({ argv }: Command): ProcessExit {
  return { kind: 'not_started', reason: `this workspace has no program ${argv[0] ?? ''}` };
}
