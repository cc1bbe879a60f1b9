/** From pressing enter to the prompt, beside a Node that does nothing. Rounds are interleaved so that noise falls on all. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { report } from './report.js';

const ROUNDS = 40;
const PROGRAM = path.join(import.meta.dirname, '../dist/tenon.cjs');

export function coldStart(): void {
  const home = mkdtempSync(path.join(tmpdir(), 'tenon-bench-'));
  const commands: readonly (readonly [name: string, args: readonly string[]])[] = [
    ['node -e 0', ['-e', '0']],
    ['tenon --version', [PROGRAM, '--version']],
    ['tenon tools --json', [PROGRAM, 'tools', '--json']],
    ['tenon tools', [PROGRAM, 'tools']],
    ['tenon call (a plan)', [PROGRAM, 'call', 'update_plan', '{"plan":[]}']],
    ['tenon --help', [PROGRAM, '--help']],
  ];
  const rows = commands.map(([name, args]) => ({ name, args, samples: [] as number[] }));
  // Extra certificates make every start of Node slower by the same amount and would hide the difference.
  const { NODE_EXTRA_CA_CERTS: _, ...rest } = process.env;
  const env = { ...rest, TENON_HOME: home };
  for (const { args } of rows) spawnSync(process.execPath, args, { env });
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { args, samples } of rows) {
      const started = performance.now();
      spawnSync(process.execPath, args, { env });
      samples.push(performance.now() - started);
    }
  }
  rmSync(home, { recursive: true, force: true });
  report(rows, 'ms');
}
