/** A workspace without a disk or processes: files are given as text, programs as functions. */
import path from 'node:path';

import { FileProblem } from '../core/file-problem.js';
import { absolutePath } from '../core/paths.js';
import type { Command, Files, ProcessExit, Workspace } from '../core/workspace.js';

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
  const contents = new Map(Object.entries(files).map(([name, text]) => [path.resolve(cwd, name), Buffer.from(text)]));
  return {
    async open(file) {
      const content = contents.get(file);
      if (content === undefined) throw new FileProblem('missing', file);
      return {
        size: content.length,
        read: async (into, position) => content.copy(into, 0, position, position + into.length),
        close: async () => {},
      };
    },
    async write(file, content) {
      contents.set(file, Buffer.from(content));
    },
  };
}

function notFound({ argv }: Command): ProcessExit {
  return { kind: 'not_started', reason: `this workspace has no program ${argv[0] ?? ''}` };
}
