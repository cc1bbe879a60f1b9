import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import type { LinuxProbe, ProbeContext } from '../../../src/sandbox/linux/probe.js';
import { rememberedProbe } from '../../../src/sandbox/linux/remembered-probe.js';
import { tempFolder } from '../../support/temp-folder.js';
import { ARCHITECTURE, CAN_RUN, testRunner } from '../../support/test-runner.js';

const IDENTITY = { user: process.getuid?.() ?? 0, group: process.getgid?.() ?? 0 };

function contextOf(user = IDENTITY.user): ProbeContext {
  return { runner: testRunner(), architecture: ARCHITECTURE, identity: { ...IDENTITY, user }, untrusted: [] };
}

/** A folder with what was found out in it, in one file. */
async function remembered(
  skip: (reason: string) => never,
): Promise<{ folder: string; file: string; found: LinuxProbe }> {
  const folder = tempFolder();
  const found = await rememberedProbe(contextOf(), folder);
  if (!found.cell.works) skip(`cell: ${found.cell.reason}`);
  const [file = ''] = readdirSync(folder);
  return { folder, file: path.join(folder, file), found };
}

describe.skipIf(!CAN_RUN)('what was found out about the machine', () => {
  test('is written down in one file of our own, whole', async (ctx) => {
    const { folder, file, found } = await remembered((reason) => ctx.skip(reason));
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^sandbox-[0-9a-f]{16}\.json$/)]);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(found);
  });

  test('is read and not tried the second time', async (ctx) => {
    const { folder, file, found } = await remembered((reason) => ctx.skip(reason));
    const changed = { ...found, fence: { works: false, reason: 'as it was written down' } };
    writeFileSync(file, JSON.stringify(changed));
    expect(await rememberedProbe(contextOf(), folder)).toEqual(changed);
  });

  test.for([
    ['nothing', ''],
    ['half of it', '{"landlock":7,"cell":{"works":true,"freshP'],
    ['something else', '[1,2,3]'],
    ['null', 'null'],
    ['no Landlock', '{"landlock":0,"cell":{"works":true}}'],
    ['a cell that does not work', '{"landlock":7,"cell":{"works":false,"reason":""}}'],
    ['only a part', '{"landlock":7,"cell":{"works":true,"freshProc":true}}'],
    ['a part of another kind', '{"landlock":7,"cell":{"works":true},"bubblewrap":"no","fence":null}'],
    ['no openat2', '{"landlock":7,"cell":{"works":true},"bubblewrap":{"works":false},"fence":{"works":true}}'],
    ['no fence', '{"landlock":7,"openat2":true,"cell":{"works":true},"bubblewrap":{"works":false}}'],
  ] as const)('is tried again when the file holds %s', async ([, text], ctx) => {
    const { folder, file, found } = await remembered((reason) => ctx.skip(reason));
    writeFileSync(file, text);
    expect(await rememberedProbe(contextOf(), folder)).toEqual(found);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(found);
  });

  test('is another thing for another user, and for another search path', async (ctx) => {
    const { folder } = await remembered((reason) => ctx.skip(reason));
    const before = process.env['PATH'];
    try {
      process.env['PATH'] = `${before}:/another`;
      await rememberedProbe(contextOf(), folder);
    } finally {
      process.env['PATH'] = before;
    }
    expect(readdirSync(folder)).toHaveLength(2);
    // Nobody else can be in a cell of ours, so that there is nothing good to write down.
    const other = await rememberedProbe(contextOf(IDENTITY.user + 1), folder);
    expect(other.cell.works).toBe(false);
    expect(readdirSync(folder)).toHaveLength(2);
  });

  test('is nobody’s loss when it cannot be written down', async (ctx) => {
    const { found } = await remembered((reason) => ctx.skip(reason));
    expect(await rememberedProbe(contextOf(), path.join(tempFolder(), 'missing'))).toEqual(found);
  });
});
