/** `tenon kill`: ends a session's command with everything it started, or a single process. */
import { endOwnedProcesses, ownedProcesses } from '../../index.js';
import type { OwnedProcess } from '../../index.js';
import { EXIT } from '../exit-codes.js';

export type KillFlags = { readonly pid?: boolean };

/** Only processes that a Tenon has started can be named. */
export async function killProcesses(targets: readonly string[], { pid: isPid = false }: KillFlags): Promise<number> {
  let exitCode: number = EXIT.success;
  for (const target of targets) {
    const isMeant = ({ pid, marks }: OwnedProcess): boolean =>
      isPid ? String(pid) === target : marks.some(({ label }) => label === target);
    const found = ownedProcesses().filter(isMeant);
    const problem = problemWith(target, found, isPid);
    if (problem === undefined) {
      await endOwnedProcesses(isMeant);
      process.stdout.write(`Ended ${target}: ${found.length === 1 ? '1 process' : `${found.length} processes`}.\n`);
    } else {
      process.stderr.write(`tenon: ${problem}\n`);
      exitCode = EXIT.failed;
    }
  }
  return exitCode;
}

function problemWith(target: string, found: readonly OwnedProcess[], isPid: boolean): string | undefined {
  if (found.length === 0) return `no running ${isPid ? 'process' : 'session'} ${target}; \`tenon ps\` lists them`;
  if (isPid) return undefined;
  const marks = found.flatMap((each) => each.marks.filter(({ label }) => label === target));
  const owners = new Set(marks.map(({ owner }) => owner));
  return owners.size > 1 ? `session ${target} runs under several Tenons; name its process with --pid` : undefined;
}
