/**
 * Runs a change in a process of its own in which calls of the file system fail, or in which it is killed at one of them.
 * It is bundled before it is started, and says what it found as JSON.
 */
import fs from 'node:fs';
import path from 'node:path';

import { ABSENT } from '../../src/core/files.js';
import type { FileChange, Files, FileState } from '../../src/core/files.js';
import type { AbsolutePath } from '../../src/core/paths.js';
import { localFiles } from '../../src/exec/local-files.js';
import { confinedFiles } from '../../src/sandbox/files/confined-files.js';
import { NOTHING_ALLOWED } from '../../src/sandbox/policy.js';
import { NEW, OLD, layTree, treeOf } from './fault-tree.js';
import type { Tree } from './fault-tree.js';

type Call = (...args: unknown[]) => unknown;
type Fault = { readonly at: number; readonly strike: () => void; readonly goesOn: boolean };

const [, , mode = '', top = '', guard = '', which = 'set', more = ''] = process.argv;
const count = { calls: 0 };
let fault: Fault | undefined;

/** What was called where `fs` is used. Waiting for the disk would only take long. */
async function breakCalls(): Promise<void> {
  const handle = await fs.promises.open('/dev/null');
  const prototype = Object.getPrototypeOf(handle) as Record<string, Call>;
  await handle.close();
  const sync = fs as unknown as Record<string, Call>;
  const promises = fs.promises as unknown as Record<string, Call>;
  for (const name of Object.keys(sync).filter((each) => each.endsWith('Sync'))) wrap(sync, name);
  for (const name of Object.keys(promises).filter((each) => typeof promises[each] === 'function')) wrap(promises, name);
  for (const name of ['read', 'writeFile', 'stat', 'chmod', 'close']) wrap(prototype, name);
  sync['syncSync'] = () => {};
  wrap(sync, 'syncSync');
  sync['fsync'] = (_descriptor, done) => {
    try {
      sync['syncSync']?.();
      (done as Call)(null);
    } catch (error) {
      (done as Call)(error);
    }
  };
}

function wrap(holder: Record<string, Call>, name: string): void {
  const real = holder[name];
  if (real === undefined) return;
  holder[name] = function wrapped(this: unknown, ...args: unknown[]) {
    if (fault === undefined) return real.apply(this, args);
    count.calls += 1;
    const struck = fault.goesOn ? count.calls >= fault.at : count.calls === fault.at;
    if (!struck) return real.apply(this, args);
    const failure = () => {
      // What is closed is closed, even when that says that it failed.
      const closing = name.startsWith('close') ? real.apply(this, args) : undefined;
      fault?.strike();
      return closing;
    };
    return name.endsWith('Sync') ? failure() : Promise.resolve().then(failure);
  };
}

function failing(): never {
  throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
}

function filesFor(folder: string): Files {
  if (guard !== 'confined') return localFiles;
  const { dev, ino } = fs.statSync(folder);
  const place = { path: folder as AbsolutePath, kind: 'folder', device: dev, inode: ino } as const;
  return confinedFiles(
    () => Promise.resolve({ ...NOTHING_ALLOWED, writable: [place] }),
    () => {},
  );
}

function changesIn(folder: string): readonly FileChange[] {
  const names = which === 'one' ? ['a'] : [...new Set([...Object.keys(OLD), ...Object.keys(NEW)])];
  return names
    .map((name) => ({ name, before: stateOf(OLD[name]), after: stateOf(NEW[name]) }))
    .filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after))
    .map(({ name, before, after }) => ({ path: path.join(folder, name) as AbsolutePath, before, after }));
}

function stateOf(text: string | undefined): FileState {
  if (text === undefined) return ABSENT;
  if (text === '/') return { kind: 'folder' };
  return text.startsWith('-> ')
    ? { kind: 'link', target: text.slice(3) }
    : { kind: 'file', content: Buffer.from(text) };
}

type Run = { readonly outcome: string; readonly tree: Tree; readonly calls: number };

async function run(folder: string, planned: Fault): Promise<Run> {
  layTree(folder, OLD);
  const files = filesFor(folder);
  const changes = changesIn(folder);
  count.calls = 0;
  fault = planned;
  const outcome = await files.change(changes).then(
    () => 'done',
    (error: unknown) => (error as Error).message,
  );
  fault = undefined;
  return { outcome, tree: treeOf(folder), calls: count.calls };
}

/** Once for each call there is, or for each one of so many. */
async function failEach(goesOn: boolean): Promise<readonly Run[]> {
  const runs: Run[] = [];
  for (let at = 1; ; at += Number(more)) {
    const folder = path.join(top, `${at}`);
    fs.mkdirSync(folder);
    const result = await run(folder, { at, strike: failing, goesOn });
    fs.rmSync(folder, { recursive: true });
    runs.push(result);
    if (result.calls < at) return runs;
  }
}

/** With less and less room on the disk. */
async function fillEach(): Promise<readonly Run[]> {
  const runs: Run[] = [];
  for (let room = 0; room < 48; room += 1) {
    const folder = path.join(top, `${room}`);
    const filler = path.join(top, 'filler');
    fs.mkdirSync(folder);
    layTree(folder, OLD);
    const size = fill(filler);
    fs.truncateSync(filler, Math.max(0, size - room * 4_096));
    const files = filesFor(folder);
    const outcome = await files.change(changesIn(folder)).then(
      () => 'done',
      (error: unknown) => String((error as { kind?: string }).kind),
    );
    runs.push({ outcome, tree: treeOf(folder), calls: 0 });
    fs.rmSync(filler);
    fs.rmSync(folder, { recursive: true });
  }
  return runs;
}

function fill(filler: string): number {
  const descriptor = fs.openSync(filler, 'w');
  try {
    for (;;) fs.writeSync(descriptor, Buffer.alloc(4_096, 'x'));
  } catch {
    return fs.fstatSync(descriptor).size;
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Adds one to a number in a file until it has done so often enough; tells how often somebody else was first. */
async function countUp(): Promise<number> {
  const file = path.join(top, 'counter') as AbsolutePath;
  let refused = 0;
  for (let done = 0; done < Number(more); done += 1) {
    while (!(await addOne(file))) refused += 1;
  }
  return refused;
}

async function addOne(file: AbsolutePath): Promise<boolean> {
  const content = fs.readFileSync(file);
  const after = Buffer.from(`${Number(content.toString()) + 1}`);
  const change = { path: file, before: { kind: 'file', content }, after: { kind: 'file', content: after } } as const;
  return filesFor(top)
    .change([change])
    .then(
      () => true,
      () => false,
    );
}

const MODES: Readonly<Record<string, () => Promise<unknown>>> = {
  fail: () => failEach(false),
  'fail-on': () => failEach(true),
  full: fillEach,
  count: countUp,
  calls: () => run(top, { at: Infinity, strike: failing, goesOn: false }),
  kill: () => run(top, { at: Number(more), strike: () => process.kill(process.pid, 'SIGKILL'), goesOn: false }),
};

await breakCalls();
process.stdout.write(JSON.stringify(await MODES[mode]?.()));
