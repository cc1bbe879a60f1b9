/** Runs `tenon sandbox` in a project beside which nothing may be written. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { runCli } from './cli.js';
import type { CliOptions, CliResult } from './cli.js';
import { grounds } from './sandboxed.js';

export type Box = {
  readonly project: string;
  readonly userHome: string;
  readonly ownHome: string;
  /** `tenon sandbox` with these arguments, in the project. */
  readonly run: (args: readonly string[], options?: CliOptions) => Promise<CliResult>;
};

/** `config` is what its `config.toml` begins with. */
export function box(config = ''): Box {
  const folders = grounds();
  const { project, userHome, ownHome } = folders;
  const closed = '[sandbox_workspace_write]\nexclude_slash_tmp = true\nexclude_tmpdir_env_var = true\n';
  writeFileSync(path.join(ownHome, 'config.toml'), config + closed);
  const run: Box['run'] = (args, options = {}) =>
    runCli(['sandbox', ...args], { cwd: project, home: ownHome, env: { HOME: userHome }, ...options });
  return { ...folders, run };
}

/** A script as the command. */
export function sh(script: string): readonly string[] {
  return ['--', 'sh', '-c', script];
}
