import { spawn } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

import { allStats, commandOf, descendantsOf, environmentOf, startOf, statOf } from '../../src/exec/process-table.js';
import { tempFolder } from '../support/temp-folder.js';

test('a program whose name is made to deceive is seen as it is', async () => {
  const file = path.join(tempFolder(), 'x) Z 1 1\n(y');
  copyFileSync('/bin/sleep', file);
  const child = spawn(file, ['60'], { detached: true, env: { HERE: 'yes' }, stdio: 'ignore' });
  const pid = child.pid ?? 0;
  const stat = statOf(pid);
  expect(stat).toMatchObject({ parent: process.pid, group: pid, session: pid });
  expect(stat?.state).toMatch(/^[RSD]$/);
  expect(Math.abs((stat ? startOf(stat).getTime() : 0) - Date.now())).toBeLessThan(60_000);
  expect([environmentOf(pid).includes('HERE=yes'), commandOf(pid), allStats().has(pid)]).toEqual([
    true,
    `${file} 60`,
    true,
  ]);
  expect(descendantsOf(process.pid)).toContain(pid);
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  expect([statOf(pid), environmentOf(pid), allStats().has(pid)]).toEqual([undefined, [], false]);
});
