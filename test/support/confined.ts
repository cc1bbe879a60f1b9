/** A sandbox over a folder of the test's own, and commands in it. */
import { mkdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';

import { createCommandSandbox } from '../../src/index.js';
import type { CommandSandbox, CommandSandboxOptions, ProcessExit } from '../../src/index.js';
import { tempFolder } from './temp-folder.js';

type ConfinedRun = { readonly exit: ProcessExit; readonly output: string };

export type TestSandbox = CommandSandbox & {
  /** Around the workspace; not writable. */
  readonly outside: string;
  run(...argv: readonly string[]): Promise<ConfinedRun>;
};

/** Closed when the test is over. Folders for temporary files are not writable, since the test's own lies in one. */
export function testSandbox({ sandbox, ...options }: CommandSandboxOptions = {}): TestSandbox {
  const outside = realpathSync(tempFolder());
  const cwd = path.join(outside, 'workspace');
  mkdirSync(cwd);
  const opened = createCommandSandbox({
    cwd,
    home: path.join(outside, 'home'),
    sandbox: { excludeSlashTmp: true, excludeTmpdir: true, ...sandbox },
    ...options,
  });
  onTestFinished(() => opened.close());
  return {
    ...opened,
    outside,
    async run(...argv) {
      let output = '';
      const process = await opened.start({
        argv,
        cwd: opened.cwd,
        onOutput: (chunk) => (output += Buffer.from(chunk).toString()),
      });
      return { exit: await process.exit, output };
    },
  };
}

/** Why this backend cannot be used here, if so. */
export async function whyNot(
  sandbox: CommandSandbox,
  backend: NonNullable<Parameters<CommandSandbox['probe']>[0]>[number],
): Promise<string | undefined> {
  const [found] = await sandbox.probe([backend]);
  return found?.works === true ? undefined : `${backend}: ${found?.reason ?? 'there is none here'}`;
}
