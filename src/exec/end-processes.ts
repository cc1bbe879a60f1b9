/**
 * Kills whatever is found until nothing is: what is dying may still start something. It may do so behind the back of a
 * look, which goes through the list of processes as it was: one that was not on it yet, and whose parent is dead by the
 * time it is looked at. So nothing has to be found twice.
 */
const MOST_ROUNDS = 100;
const CLEAN_ROUNDS = 2;

export async function endProcesses(find: () => readonly { readonly pid: number }[]): Promise<void> {
  let clean = 0;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const found = find();
    clean = found.length === 0 ? clean + 1 : 0;
    if (clean === CLEAN_ROUNDS) return;
    for (const { pid } of found) killQuietly(pid);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already, or not ours to kill.
  }
}
