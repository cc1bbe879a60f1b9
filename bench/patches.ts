/**
 * What patches cost through the whole pipeline, in the sandbox and without it, beside reading the file and writing it back
 * as durably: a small one, 1,000 hunks in 100,000 lines, 1,000 files.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';

import { createRuntime } from '../src/index.js';
import type { Runtime, SandboxMode } from '../src/index.js';
import { measure } from './report.js';

const LINES = 100_000;
const HUNKS = 1_000;
const FILES = 1_000;
const SMALL_ROUNDS = 60;
const LARGE_ROUNDS = 8;

const MODES: readonly SandboxMode[] = ['danger-full-access', 'workspace-write'];

export async function patchCost(): Promise<void> {
  // Not on a memory file system, where a sync costs nothing.
  const base = mkdtempSync(path.join(process.cwd(), 'node_modules', '.bench-'));
  try {
    await smallPatch(path.join(base, 'small'));
    await manyHunks(path.join(base, 'large'));
    await manyFiles(path.join(base, 'many'));
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

async function smallPatch(cwd: string): Promise<void> {
  const file = workspace(cwd, { 'small.txt': textOf(100, 0) });
  await inEachMode(cwd, SMALL_ROUNDS, ['write and sync 100 lines', () => rewrite(file)], (round) =>
    fileSection('small.txt', [hunkAt(50, round)]),
  );
}

async function manyHunks(cwd: string): Promise<void> {
  const file = workspace(cwd, { 'large.txt': textOf(LINES, 0) });
  await inEachMode(cwd, LARGE_ROUNDS, ['write and sync 100,000 lines', () => rewrite(file)], (round) =>
    fileSection(
      'large.txt',
      Array.from({ length: HUNKS }, (_, index) => hunkAt(index * (LINES / HUNKS) + 50, round)),
    ),
  );
}

async function manyFiles(cwd: string): Promise<void> {
  const names = Array.from({ length: FILES }, (_, index) => `folder-${index % 50}/file-${index}.txt`);
  workspace(cwd, Object.fromEntries(names.map((name) => [name, textOf(100, 0)])));
  const all = async () => {
    for (const name of names) await rewrite(path.join(cwd, name));
  };
  await inEachMode(cwd, LARGE_ROUNDS, ['write and sync 1,000 files, one by one', all], (round) =>
    names.map((name) => fileSection(name, [hunkAt(50, round)])).join('\n'),
  );
}

/** Each round changes the same lines back and forth. */
async function inEachMode(
  cwd: string,
  rounds: number,
  plain: readonly [string, () => Promise<unknown>],
  patchFor: (round: number) => string,
): Promise<void> {
  const runtimes = MODES.map((sandboxMode) => createRuntime({ cwd, home: `${cwd}-home`, sandboxMode }));
  let applied = 0;
  const ways = runtimes.map((runtime, index) => {
    return [
      `patch, ${MODES[index]}`,
      async () => apply(runtime, `*** Begin Patch\n${patchFor(applied++)}\n*** End Patch`),
    ] as const;
  });
  await measure([plain, ...ways], rounds);
  for (const runtime of runtimes) await runtime.close();
}

async function apply(runtime: Runtime, input: string): Promise<void> {
  const { answer } = await runtime.runCall({ name: 'apply_patch', payload: { kind: 'custom', input } });
  if (!answer.success) throw new Error(`the patch was not applied: ${JSON.stringify(answer.content).slice(0, 500)}`);
}

function workspace(cwd: string, files: Readonly<Record<string, string>>): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
    writeFileSync(path.join(cwd, name), text);
  }
  return path.join(cwd, Object.keys(files)[0] ?? '');
}

function textOf(lines: number, round: number): string {
  return Array.from({ length: lines }, (_, index) => `${lineAt(index, round)}\n`).join('');
}

function lineAt(index: number, round: number): string {
  return `line ${index} of a file, with some words${round % 2 === 0 ? '' : ', changed'}`;
}

function hunkAt(index: number, round: number): string {
  return [
    '@@',
    ` ${lineAt(index - 1, 0)}`,
    `-${lineAt(index, round)}`,
    `+${lineAt(index, round + 1)}`,
    ` ${lineAt(index + 1, 0)}`,
  ].join('\n');
}

function fileSection(file: string, hunks: readonly string[]): string {
  return [`*** Update File: ${file}`, ...hunks].join('\n');
}

async function rewrite(file: string): Promise<void> {
  const content = await readFile(file);
  const handle = await open(`${file}.tmp`, 'w');
  await handle.writeFile(content);
  await handle.sync();
  await handle.close();
  await rename(`${file}.tmp`, file);
  const folder = await open(path.dirname(file));
  await folder.sync();
  await folder.close();
}
