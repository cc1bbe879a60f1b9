/** The command line: reads the arguments, runs one command, and turns whatever happens into words and an exit code. */
import { CommanderError } from 'commander';

import { ConfigError } from '../index.js';
import { EXIT } from './exit-codes.js';
import { createProgram } from './program.js';
import { UsageError } from './usage-error.js';

export async function main(argv: readonly string[]): Promise<void> {
  process.stdout.on('error', ignoreClosedPipe);
  try {
    const program = createProgram((code) => {
      process.exitCode = code;
    });
    if (argv.length <= 2) program.outputHelp();
    else await program.parseAsync([...argv]);
  } catch (error) {
    process.exitCode = explain(error);
  }
}

function explain(error: unknown): number {
  // Commander has already said what was wrong, or shown the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.success : EXIT.usage;
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`tenon: ${message}\n`);
  return error instanceof ConfigError || error instanceof UsageError ? EXIT.usage : EXIT.failed;
}

/** `tenon tools | head` is no reason to complain. A command that has more to do listens for it too. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
