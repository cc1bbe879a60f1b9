import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';

import { propertyRuns } from '../../support/property-runs.js';
import { layGrounds } from './grounds.js';
import type { Grounds } from './grounds.js';

const ROOT = process.getuid?.() === 0;
const NOBODY = 65_534;
/** What else comes of names that change while they are used. */
const HARMLESS = new Set(['done', 'forbidden', 'missing', 'broken', 'changed', 'in-the-way']);
const USERS = ROOT ? [{ user: 'root' }, { user: 'a plain user' }] : [{ user: 'a plain user' }];

/** Each takes the place of what `name` is, over and over; it lingers in both states, or one of them might never be met. */
const SWAPS = {
  /** A folder becomes a link to the other folder and a folder again. */
  folder: `
    attempt(() => fs.symlinkSync(other, name + '.link'));
    attempt(() => fs.renameSync(name, name + '.real'));
    attempt(() => fs.renameSync(name + '.link', name));
    linger();
    attempt(() => fs.renameSync(name, name + '.link'));
    attempt(() => fs.renameSync(name + '.real', name));
    // When a folder was made in the gap, the old one cannot come back.
    attempt(() => fs.rmSync(name + '.real', { recursive: true }));
    linger();`,
  /** A file becomes a link to the other file and a file again. */
  file: `
    attempt(() => fs.symlinkSync(other, name + '.link'));
    attempt(() => fs.renameSync(name + '.link', name));
    linger();
    attempt(() => fs.writeFileSync(name + '.file', 'harmless'));
    attempt(() => fs.renameSync(name + '.file', name));
    linger();`,
};

describe.runIf(process.platform === 'linux').each(USERS)('as $user, against somebody who swaps names', ({ user }) => {
  const plain = ROOT && user !== 'root';

  test('nothing is ever written behind a folder that turns into a link', async () => {
    const grounds = groundsFor(plain);
    const { at, write, names, denials } = grounds;
    fs.mkdirSync(at('ws/d'));
    own(plain, grounds);
    await swapping('folder', at('ws/d'), at('outside'), plain);
    const seen = await repeatAs(plain, 40, (index) => write(at('ws/d', `${index % 5}`), 'x'), ['done', 'forbidden']);
    expect(names('outside')).toEqual([]);
    expect(new Set(denials.map(({ target }) => path.dirname(target)))).toEqual(new Set([at('outside')]));
    expect([...seen].filter((each) => !HARMLESS.has(each))).toEqual([]);
  });

  test('no folder is ever made behind a folder that turns into a link', async () => {
    const grounds = groundsFor(plain);
    const { at, write, names } = grounds;
    fs.mkdirSync(at('ws/d'));
    own(plain, grounds);
    await swapping('folder', at('ws/d'), at('outside'), plain);
    await repeatAs(plain, 20, (index) => write(at(`ws/d/${index}/x/y`), 'x'), ['done', 'forbidden']);
    expect(names('outside')).toEqual([]);
  });

  test('a file outside never changes behind a name that turns into a link', async () => {
    const grounds = groundsFor(plain);
    const { at, write, names, content } = grounds;
    fs.writeFileSync(at('outside/precious'), 'precious');
    own(plain, grounds);
    await swapping('file', at('ws/f'), at('outside/precious'), plain);
    await repeatAs(plain, 80, () => write(at('ws/f'), 'x'), ['done', 'forbidden']);
    expect([names('outside'), content('outside/precious')]).toEqual([['precious'], 'precious']);
  });

  test('a secret is never read behind a name that turns into a link', async () => {
    const grounds = groundsFor(plain);
    const { at, read } = grounds;
    own(plain, grounds);
    await swapping('file', at('ws/f'), at('hidden/secret'), plain);
    const seen = await repeatAs(plain, 80, () => read(at('ws/f')), ['harmless', 'forbidden']);
    expect(seen).not.toContain('secret');
  });

  test('a secret is never read behind a folder that turns into a link', async () => {
    const grounds = groundsFor(plain);
    const { at, read } = grounds;
    fs.mkdirSync(at('ws/d'));
    fs.writeFileSync(at('ws/d/secret'), 'harmless');
    own(plain, grounds);
    await swapping('folder', at('ws/d'), at('hidden'), plain);
    const seen = await repeatAs(plain, 80, () => read(at('ws/d/secret')), ['harmless', 'forbidden']);
    expect(seen).not.toContain('secret');
  });
});

test.runIf(ROOT)('the rights of the system hold beside those of the policy', async () => {
  const grounds = groundsFor(true);
  const { at, write, content, names } = grounds;
  own(true, grounds);
  fs.writeFileSync(at('ws/of-root'), 'old', { mode: 0o644 });
  fs.mkdirSync(at('ws/folder-of-root'));
  const outcomes = await asNobody(async () => [
    await write(at('ws/of-root'), 'x'),
    await write(at('ws/folder-of-root/x'), 'x'),
  ]);
  expect([outcomes, content('ws/of-root')]).toEqual([['forbidden', 'forbidden'], 'old']);
  expect(names('ws')).toEqual(['.git', 'folder-of-root', 'of-root']);
});

test.runIf(ROOT)('the rights of a group that cannot be kept go to no other group', async () => {
  const grounds = groundsFor(true);
  const { at, write } = grounds;
  own(true, grounds);
  fs.writeFileSync(at('ws/a'), 'old');
  fs.chownSync(at('ws/a'), NOBODY, 4_321);
  fs.chmodSync(at('ws/a'), 0o664);
  expect(await asNobody(() => write(at('ws/a'), 'x'))).toBe('done');
  expect((fs.statSync(at('ws/a')).mode & 0o777).toString(8)).toBe('604');
});

function groundsFor(plain: boolean): Grounds {
  const grounds = layGrounds();
  if (plain) fs.chmodSync(grounds.top, 0o755);
  return grounds;
}

/** The plain user may do to all of it whatever the system lets anybody do. */
function own(plain: boolean, { top }: Grounds): void {
  if (!plain) return;
  for (const name of fs.readdirSync(top, { recursive: true, encoding: 'utf8' })) {
    fs.chownSync(path.join(top, name), NOBODY, NOBODY);
  }
}

/** Starts somebody who does not stop before the test is over. */
async function swapping(swap: keyof typeof SWAPS, name: string, other: string, plain: boolean): Promise<void> {
  const script = `
    const fs = require('node:fs');
    const [name, other] = process.argv.slice(1);
    const attempt = (act) => { try { act(); } catch {} };
    const idle = new Int32Array(new SharedArrayBuffer(4));
    // Mostly not at all, else up to a few milliseconds: no rhythm that the other side could fall in with.
    const linger = () => { if (Math.random() < 0.3) Atomics.wait(idle, 0, 0, Math.random() * 10); };
    const once = () => {${SWAPS[swap]} };
    once();
    process.stdout.write('started');
    while (process.ppid === ${process.pid}) once();`;
  const child = spawn(process.execPath, ['-e', script, name, other], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(plain ? { uid: NOBODY, gid: NOBODY } : {}),
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  await once(child.stdout, 'data');
}

/** Goes on until everything that has to happen was seen, so that no lucky run passes for a race. */
async function repeatAs(
  plain: boolean,
  sample: number,
  act: (index: number) => Promise<string>,
  awaited: readonly string[],
): Promise<ReadonlySet<string>> {
  const { numRuns } = propertyRuns(sample);
  const seen = new Set<string>();
  const goesOn = (index: number) =>
    index < numRuns || (index < numRuns * 100 && awaited.some((each) => !seen.has(each)));
  const run = async () => {
    for (let index = 0; goesOn(index); index += 1) seen.add(await act(index));
  };
  await (plain ? asNobody(run) : run());
  expect([...seen]).toEqual(expect.arrayContaining([...awaited]));
  return seen;
}

async function asNobody<T>(act: () => Promise<T>): Promise<T> {
  process.setegid?.(NOBODY);
  process.seteuid?.(NOBODY);
  try {
    return await act();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}
