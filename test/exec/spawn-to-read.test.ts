import fs from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';

import type { Spawner } from '../../src/core/spawner.js';
import { absolutePath } from '../../src/core/paths.js';
import { createPipeSupply } from '../../src/exec/pipe-supply.js';
import { spawnToRead } from '../../src/exec/spawn-to-read.js';
import { openSpawner } from '../../src/sandbox/runner/spawner.js';
import { tempFolder } from '../support/temp-folder.js';
import { CAN_RUN } from '../support/test-runner.js';

const SHELL = '/bin/sh';

/** What a program has printed until nobody can print more. */
async function read(argv: readonly string[], spawner?: Spawner): Promise<string | undefined> {
  const pipes = createPipeSupply(`${tempFolder()}/pipes`);
  try {
    const launch = { argv, cwd: absolutePath('/'), env: { PATH: '/usr/bin:/bin', WORD: 'here' }, descriptors: [] };
    const started = await spawnToRead(launch, spawner, () => pipes.take());
    if (started === undefined) return undefined;
    const chunks: Buffer[] = [];
    for await (const chunk of started.output) chunks.push(chunk as Buffer);
    await started.exit;
    return Buffer.concat(chunks).toString();
  } finally {
    await pipes.close();
  }
}

function ownSpawner(): Spawner | undefined {
  const spawner = openSpawner([tempFolder()]);
  onTestFinished(() => spawner?.close());
  return spawner;
}

/** A spawner that starts nothing. */
const UNABLE: Spawner = { start: async () => undefined, makePipes: async () => false, close: async () => {} };

const WAYS: readonly (readonly [name: string, open: () => Spawner | undefined])[] = [
  ['by Node', () => undefined],
  ...(CAN_RUN ? [['by the spawner', ownSpawner] as const] : []),
  ['by Node, where the spawner cannot', () => UNABLE],
];

describe.each(WAYS)('a program that is read, started %s', (_, spawner) => {
  test('prints to us, has no input, and is not heard when it complains', async () => {
    expect(await read([SHELL, '-c', 'echo "$WORD"; echo wrong >&2; cat; echo end'], spawner())).toBe('here\nend\n');
  });

  test('may be none', async () => {
    expect(await read(['/nowhere/to/be/found'], spawner())).toBeUndefined();
  });
});

test.runIf(process.platform === 'linux')('whatever a spawner does, nothing stays open', async () => {
  const failing: Spawner = { ...UNABLE, start: () => Promise.reject(new Error('ended from outside')) };
  const before = fs.readdirSync('/proc/self/fd').length;
  for (let round = 0; round < 10; round += 1) {
    await read([SHELL, '-c', 'exit'], UNABLE);
    await expect(read([SHELL, '-c', 'exit'], failing)).rejects.toThrow('ended from outside');
  }
  // Node may have opened one or the other for itself.
  expect(fs.readdirSync('/proc/self/fd').length).toBeLessThan(before + 10);
});
