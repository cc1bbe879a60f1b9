/** The command line: reads the arguments, runs one command, and turns whatever happens into words and an exit code. */
import { CommanderError } from 'commander';

import { ConfigError, Rejected } from '../index.js';
import { EXIT } from './exit-codes.js';
import { createProgram } from './program.js';
import { UsageError } from './usage-error.js';
import { visible } from './visible.js';

export async function main(argv: readonly string[]): Promise<void> {
  process.stdout.on('error', onOutputError);
  // There is nowhere left to say it.
  process.stderr.on('error', () => {});
  // Stands until a command has really ended: a program that stops for want of anything to wait for has failed.
  process.exitCode = EXIT.failed;
  process.exitCode = await run(argv).catch(explain);
  // A turn later, when it is known whether the last words could be written.
  setImmediate(endNow);
}

/** By itself Node would first take everything apart. What is still being written is waited for. */
function endNow(): void {
  if (process.stdout.writableLength === 0 && process.stderr.writableLength === 0) process.exit();
}

async function run(argv: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.success;
  const program = createProgram((code) => {
    exitCode = code;
  }, argv[2]);
  if (argv.length > 2) await program.parseAsync([...argv]);
  else program.outputHelp();
  return exitCode;
}

/** How Commander ends when it has shown what the user asked for. */
const ASKED_FOR = new Set(['commander.help', 'commander.helpDisplayed', 'commander.version']);

function explain(error: unknown): number {
  // Commander has already said what was wrong, or shown the help that was asked for.
  if (error instanceof CommanderError) return ASKED_FOR.has(error.code) ? EXIT.success : EXIT.usage;
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`tenon: ${visible(message)}\n`);
  if (error instanceof Rejected) return EXIT.rejected;
  return error instanceof ConfigError || error instanceof UsageError ? EXIT.usage : EXIT.failed;
}

/** `tenon tools | head` is no reason to complain; a full disk is. A command that has more to do listens too. */
function onOutputError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return;
  process.exitCode = EXIT.failed;
  process.stderr.write(`tenon: the output cannot be written: ${error.message}\n`);
}
