import { execFile, execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import type { AbsolutePath } from '../../src/core/paths.js';
import { removeLeftovers } from '../../src/files/temporary-name.js';
import { bundle } from '../support/bundle.js';
import { tempFolder } from '../support/temp-folder.js';
import { NEW, OLD, TURNING, treeOf } from './fault-tree.js';
import type { Tree } from './fault-tree.js';

const DEEP = process.env['TENON_DEEP'] !== undefined;
/** Confined, there are many more calls: all of them fail in turn in deep runs only. */
const GUARDS = [
  { guard: 'local', step: 1 },
  { guard: 'confined', step: DEEP ? 1 : 7 },
];
const MEMORY = '/dev/shm';
type Run = { readonly outcome: string; readonly tree: Tree; readonly calls: number };

let folder = '';
let child = '';

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tenon-faults-'));
  child = path.join(folder, 'child.mjs');
  await bundle({ entry: path.join(import.meta.dirname, 'fault-child.ts') }, child);
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

describe.each(GUARDS)('$guard', ({ guard, step }) => {
  test.each(['set', 'one'])('whichever call fails, all of %s is as it was or all is done', (which) => {
    const runs = runChild('fail', quickFolder(), guard, which, `${step}`) as readonly Run[];
    const [old, done] = expected(which);
    const failed = runs.filter(({ outcome }) => outcome !== 'done');
    expect(failed.length).toBeGreaterThan((which === 'one' ? 12 : 80) / step);
    for (const { outcome, tree } of failed) expect(tree, outcome).toEqual(old);
    // What could not be cleared up is left, and only that.
    for (const run of runs.filter((each) => !failed.includes(each))) expect(withoutTemporary(run.tree)).toEqual(done);
    expect(runs.at(-1)?.tree).toEqual(done);
  });

  test('when nothing works any more from some call on, what was not put back is told and kept', () => {
    const runs = runChild('fail-on', quickFolder(), guard, 'set', `${DEEP ? 1 : step + 2}`) as readonly Run[];
    const broken = runs.filter(({ outcome }) => outcome.includes('not put back'));
    expect(broken.length).toBeGreaterThan(5);
    for (const { outcome, tree } of broken) {
      for (const [name, text] of Object.entries(OLD)) {
        const told = new RegExp(`/${name} \\(its original is [^)]*?/(\\.tenon-[^)/]*)\\)`).exec(outcome)?.[1];
        const kept = Object.keys(tree).find((each) => told !== undefined && each.endsWith(told));
        expect(kept === undefined ? tree[name] : tree[kept], `${name}: ${outcome}`).toBe(text);
      }
    }
  });

  test('whenever it is killed, each name has all of the old or all of the new', async () => {
    const total = callsOf(guard, 'set');
    for (const at of some(total, 8)) {
      const { tree, cleared } = await killedAt(at, guard, 'set');
      const neither = Object.keys({ ...OLD, ...NEW }).filter((name) => !isOneOf(tree[name], [OLD[name], NEW[name]]));
      expect(neither.filter((name) => !TURNING.includes(name.split('/')[0] ?? '') || tree[name] !== undefined)).toEqual(
        [],
      );
      expect(cleared).toEqual(withoutTemporary(cleared));
      expect(cleared).toEqual(withoutTemporary(tree));
    }
  });

  test('whenever it is killed, a single file is as it was or as it was to be', async () => {
    const total = callsOf(guard, 'one');
    for (const at of some(total, 5)) {
      const { cleared } = await killedAt(at, guard, 'one');
      expect([OLD, { ...OLD, a: NEW['a'] }]).toContainEqual(cleared);
    }
  });
});

test('a disk that fills up leaves everything as it was', ({ skip }) => {
  const top = tempFolder();
  const script = `mount -t tmpfs -o size=256k tenon ${top} && exec ${process.execPath} ${child} full ${top} local set`;
  const inside = (command: string) => spawnSync('unshare', ['-Urm', 'sh', '-c', command], { encoding: 'utf8' });
  const allowed = inside(`mount -t tmpfs tenon ${top}`);
  if (allowed.status !== 0) skip(`no disk of our own to fill: ${allowed.stderr || allowed.error?.message}`);
  const runs = JSON.parse(inside(script).stdout) as readonly Run[];
  const [old, done] = expected('set');
  expect(new Set(runs.map(({ outcome }) => outcome))).toEqual(new Set(['full', 'done']));
  for (const { outcome, tree } of runs) expect(tree).toEqual(outcome === 'done' ? done : old);
});

test('of two processes that replace one file at once, none overwrites what it has not seen', async () => {
  const top = quickFolder();
  fs.writeFileSync(path.join(top, 'counter'), '0');
  const rounds = DEEP ? 2_000 : 60;
  const run = async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [child, 'count', top, 'local', '', `${rounds}`]);
    return Number(stdout);
  };
  let counted = 0;
  let refused = 0;
  // On a busy machine three short runs may pass each other by; what they prove then is nothing, so they meet again.
  while (refused === 0) {
    refused = (await Promise.all([run(), run(), run()])).reduce((sum, each) => sum + each);
    counted += 3 * rounds;
    expect(fs.readFileSync(path.join(top, 'counter'), 'utf8')).toBe(`${counted}`);
  }
  expect(fs.readdirSync(top)).toEqual(['counter']);
});

function runChild(...args: readonly string[]): unknown {
  return JSON.parse(execFileSync(process.execPath, [child, ...args], { encoding: 'utf8' }));
}

function callsOf(guard: string, which: string): number {
  return (runChild('calls', quickFolder(), guard, which) as Run).calls;
}

/** In memory where there is such a place: trees are made and thrown away by the hundred. */
function quickFolder(): string {
  if (!fs.existsSync(MEMORY)) return tempFolder();
  const quick = fs.mkdtempSync(path.join(MEMORY, 'tenon-faults-'));
  onTestFinished(() => fs.rmSync(quick, { recursive: true }));
  return quick;
}

function expected(which: string): readonly [Tree, Tree] {
  return [OLD, which === 'one' ? { ...OLD, a: NEW['a'] ?? '' } : NEW];
}

function withoutTemporary(tree: Tree): Tree {
  return Object.fromEntries(Object.entries(tree).filter(([name]) => !name.includes('.tenon-')));
}

function isOneOf(text: string | undefined, texts: readonly (string | undefined)[]): boolean {
  return texts.includes(text);
}

/** All of them in deep runs, else a few from the first to the last. */
function some(total: number, few: number): readonly number[] {
  const all = Array.from({ length: total }, (_, index) => index + 1);
  return DEEP ? all : all.filter((each) => each % Math.ceil(total / few) === 0);
}

async function killedAt(at: number, guard: string, which: string): Promise<{ tree: Tree; cleared: Tree }> {
  const top = quickFolder();
  const { pid, signal } = spawnSync(process.execPath, [child, 'kill', top, guard, which, `${at}`]);
  expect(signal).toBe('SIGKILL');
  const tree = treeOf(top);
  const folders = Object.keys(tree).filter((name) => tree[name] === '/' && !name.includes('.tenon-'));
  for (const each of ['', ...folders]) await removeLeftovers(path.join(top, each) as AbsolutePath, pid);
  return { tree, cleared: treeOf(top) };
}
