/** Medians, beside the first of them. */

export type Measured = { readonly name: string; readonly samples: readonly number[] };

export type Way = readonly [name: string, run: () => Promise<unknown>];

/** Takes the ways in turn, so that noise falls on all of them, and prints what each took in milliseconds. */
export async function measure(ways: readonly Way[], rounds: number): Promise<void> {
  const rows = ways.map(([name, run]) => ({ name, run, samples: [] as number[] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { run, samples } of rows) {
      const started = performance.now();
      await run();
      samples.push(performance.now() - started);
    }
  }
  report(rows, 'ms');
}

export function report(rows: readonly Measured[], unit: string): void {
  const base = median(rows[0]?.samples ?? []);
  const width = Math.max(...rows.map((row) => row.name.length));
  for (const { name, samples } of rows) {
    const middle = median(samples);
    const best = Math.min(...samples);
    process.stdout.write(
      `  ${name.padEnd(width)}  ${middle.toFixed(2).padStart(9)} ${unit}   ${(middle / base).toFixed(2).padStart(7)}x   best ${best.toFixed(2)}\n`,
    );
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
