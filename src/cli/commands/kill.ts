/** `tenon kill`: ends a session's command, or a process, with everything it started. */
import { endProcesses, ownedProcesses } from '../../index.js';
import type { OwnedProcess } from '../../index.js';
import { EXIT } from '../exit-codes.js';

/** Only processes that a Tenon has started can be named. */
export async function killProcesses(targets: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.success;
  for (const target of targets) {
    const found = named(target);
    if (found.length === 0) {
      process.stderr.write(`tenon: no running process or session ${target}; \`tenon ps\` lists them\n`);
      exitCode = EXIT.failed;
    } else {
      await endProcesses(() => named(target));
      process.stdout.write(`Ended ${target}: ${found.length === 1 ? '1 process' : `${found.length} processes`}.\n`);
    }
  }
  return exitCode;
}

/** All processes of a session, or the one with this number. */
function named(target: string): readonly OwnedProcess[] {
  const processes = ownedProcesses();
  const ofSession = processes.filter(({ marks }) => marks.some(({ label }) => label === target));
  return ofSession.length > 0 ? ofSession : processes.filter(({ pid }) => String(pid) === target);
}
