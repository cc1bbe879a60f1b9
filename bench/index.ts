/**
 * Benchmarks. Each prints ratios to something plain measured in the same run, because only those mean the same on
 * another machine. Nothing here is asserted.
 *
 *   npm run bench                 all of them
 *   npm run bench -- cold-start   one of them
 */
import { coldStart } from './cold-start.js';
import { commandCost } from './commands.js';
import { outputCost } from './output.js';
import { patchCost } from './patches.js';
import { pipelineCost } from './pipeline.js';
import { policyCost } from './policy.js';
import { programCost } from './program.js';
import { sandboxCost } from './sandbox.js';
import { searchCost } from './search.js';
import { sessionCost } from './sessions.js';
import { turnCost } from './turns.js';

const BENCHMARKS: Readonly<Record<string, () => Promise<void> | void>> = {
  'cold-start': coldStart,
  pipeline: pipelineCost,
  commands: commandCost,
  output: outputCost,
  sessions: sessionCost,
  policy: policyCost,
  sandbox: sandboxCost,
  patches: patchCost,
  search: searchCost,
  turns: turnCost,
  program: programCost,
};

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !Object.hasOwn(BENCHMARKS, name));
if (unknown !== undefined) {
  process.stderr.write(`there is no benchmark ${unknown}; there are: ${Object.keys(BENCHMARKS).join(', ')}\n`);
  process.exit(2);
}
for (const [name, run] of Object.entries(BENCHMARKS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  process.stdout.write(`\n${name}\n`);
  await run();
}
