/** Kills whatever is found until nothing is: what is dying may still start something. */
const MOST_ROUNDS = 100;

export async function endProcesses(find: () => readonly { readonly pid: number }[]): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const found = find();
    if (found.length === 0) return;
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
