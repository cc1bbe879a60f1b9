import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

import { createProgram } from '../../../src/sandbox/runner/program.js';
import { runProgram } from '../../../src/sandbox/runner/run-program.js';
import { tempFolder } from '../../support/temp-folder.js';
import { ARCHITECTURE, CAN_RUN, testRunner } from '../../support/test-runner.js';

// In a file of its own: descriptors that are closed twice are somebody else's the second time.
test.skipIf(!CAN_RUN)('a launcher that cannot be started is told of, and the file is closed only once', async () => {
  const missing = path.join(tempFolder(), 'nothing');
  const runner = testRunner();
  const program = createProgram(ARCHITECTURE).build();
  const { code, problem } = await runProgram(program, runner, [missing]);
  expect({ code, problem }).toEqual({ code: null, problem: `spawn ${missing} ENOENT` });

  // One of these has its number now. By the end of another process everything about the first one is over.
  const others = Array.from({ length: 20 }, () => fs.openSync(process.execPath, 'r'));
  await runProgram(program, runner);
  expect(() => others.forEach((descriptor) => fs.closeSync(descriptor))).not.toThrow();
});
