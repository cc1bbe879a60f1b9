/** A home of the tests' own: they must neither see a developer's configuration nor leave anything behind. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { PROGRAM } from './cli.js';

export function setup(): () => void {
  const home = mkdtempSync(path.join(tmpdir(), 'tenon-test-home-'));
  process.env['TENON_HOME'] = home;
  // Leaves the compiled code of what is run most there for all homes of tests (`withCompiledCode`), if it is built at all.
  spawnSync(process.execPath, [PROGRAM, 'sandbox', '--', 'true'], { cwd: home, stdio: 'ignore' });
  return () => rmSync(home, { recursive: true, force: true });
}
