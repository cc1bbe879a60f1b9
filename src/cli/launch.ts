/**
 * The executable. Answers `--version` by itself, without loading a thing, and otherwise runs the program, whose parts
 * come with their compiled code from a cache.
 */
import fs from 'node:fs';

declare const TENON_VERSION: string;

const asked = process.argv[2];
if (process.argv.length === 3 && (asked === '--version' || asked === '-V')) printVersion();
else void import('./load-program.js').then(({ loadProgram }) => loadProgram(process.argv)(process.argv));

/** Written without the streams of Node, which take longer to load than all else here. */
function printVersion(): void {
  const text = `tenon ${TENON_VERSION}\n`;
  try {
    fs.writeSync(1, text);
  } catch {
    // Such as a pipe that takes nothing at the moment, for which a stream waits.
    process.stdout.write(text);
  }
}
