/** The model of the tour: a script behind a real server of this machine. Prints its address, and ends with its parent. */
import { startScriptedModel } from '../dist/testing.js';

const FIX = `*** Begin Patch
*** Update File: sum.js
@@ export function sum(a, b) {
-  return a - b;
+  return a + b;
*** End Patch`;

const test = { name: 'exec_command', arguments: { cmd: 'node --test', login: false } };

const model = await startScriptedModel([
  {
    text: 'I run the tests first, and read the code.',
    calls: [test, { name: 'read_file', arguments: { path: 'sum.js' } }],
  },
  { text: 'It subtracts.', calls: [{ name: 'apply_patch', arguments: { input: FIX } }] },
  { calls: [test], fault: { kind: 'drop', afterItems: 0 } },
  { text: 'The tests pass: `sum` subtracted, and now it adds.' },
]);
process.stdout.write(`${model.baseUrl}\n`);
process.stdin.once('end', () => void model.close()).resume();
