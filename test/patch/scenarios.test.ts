/** Each folder of `scenarios` is a promise: files, a patch, the files afterwards, and what the model is told. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

import { parsePatch } from '../../src/patch/parse-patch.js';
import { PatchError } from '../../src/patch/patch-error.js';
import type { Patch } from '../../src/patch/patch.js';
import { planPatch, successText } from '../../src/patch/plan-patch.js';
import type { PatchPlan } from '../../src/patch/plan-patch.js';
import { structuredPatch } from '../../src/patch/structured-patch.js';
import { BASE, entriesAfter, entriesOf, sourceReader } from './patched-tree.js';

const SCENARIOS = path.join(import.meta.dirname, 'scenarios');
const names = readdirSync(SCENARIOS);

test.each(names)('%s', async (name) => {
  const folder = path.join(SCENARIOS, name);
  const input = entriesOf(path.join(folder, 'input'));
  const { plan, message } = await outcome(folder);
  expect(message).toBe(readFileSync(path.join(folder, 'message.txt'), 'utf8'));
  expect(entriesAfter(input, plan?.changes ?? [])).toEqual(entriesOf(path.join(folder, 'expected')));
});

test('there are scenarios for all of this', () => {
  expect(names.length).toBeGreaterThanOrEqual(60);
});

async function outcome(folder: string): Promise<{ readonly plan?: PatchPlan; readonly message: string }> {
  try {
    const plan = await planPatch(patchIn(folder), BASE, sourceReader(path.join(folder, 'input')));
    return { plan, message: successText(plan) };
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    return { message: error.message };
  }
}

function patchIn(folder: string): Patch {
  const structured = path.join(folder, 'patch.json');
  if (!existsSync(structured)) return parsePatch(readFileSync(path.join(folder, 'patch.txt'), 'utf8'));
  return structuredPatch(JSON.parse(readFileSync(structured, 'utf8')) as Parameters<typeof structuredPatch>[0]);
}
