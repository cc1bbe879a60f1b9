/** What the harness does when it is started inside of a sandbox: the same once more, in a smaller folder. */
import path from 'node:path';

import { createCommandSandbox } from '../../../src/command-sandbox.js';
import { messageOf } from '../../../src/core/errors.js';
import { runIn } from './grounds.js';

export async function runInner(cwd: string, outside: string): Promise<void> {
  const sandbox = createCommandSandbox({
    cwd,
    home: path.join(cwd, 'tenon'),
    sandbox: { excludeSlashTmp: true, excludeTmpdir: true },
  });
  try {
    const confinement = await sandbox.confinement();
    const script = `: >made-inside; : >../made-inside; : >'${outside}/made-inside'`;
    const ran = confinement.kind === 'available' ? await runIn(sandbox, ['/bin/sh', '-c', script]) : undefined;
    process.stdout.write(`${JSON.stringify({ ...confinement, exit: ran?.exit, stderr: ran?.stderr })}\n`);
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ reason: messageOf(error) })}\n`);
  } finally {
    await sandbox.close();
  }
}
