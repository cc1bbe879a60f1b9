/** What a search costs beside ripgrep with the same arguments, and a listing beside its list of files. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

import { createRuntime } from '../src/index.js';
import type { Runtime, SandboxMode } from '../src/index.js';
import { createCompanions } from '../src/exec/companions.js';
import { ripgrepArguments } from '../src/search/ripgrep-arguments.js';
import { measure } from './report.js';
import type { Way } from './report.js';

const SEARCHED_FILES = 20_000;
const LISTED_FILES = 100_000;
const FILES_IN_FOLDER = 50;
const SEARCH_ROUNDS = 30;
const LIST_ROUNDS = 7;
const SURROUNDINGS = { rules: undefined, inRepository: true };

export async function searchCost(): Promise<void> {
  // Not below a folder that commands may write to: there, what was found out about the machine is not kept.
  const folder = mkdtempSync(path.join(homedir(), '.tenon-bench-'));
  const [ripgrep = 'rg'] = (await createCompanions()('search')) ?? [];
  try {
    const searched = makeTree(path.join(folder, 'searched'), SEARCHED_FILES);
    for (const [title, pattern] of [
      ['few matches', 'needle in file 1\\d77\\b'],
      ['one match in every file', 'needle in file'],
    ] as const) {
      process.stdout.write(`  ${SEARCHED_FILES} files, ${title}\n`);
      const plain = runIn(searched, ripgrep, plainArguments(pattern));
      await compare({ cwd: searched, rounds: SEARCH_ROUNDS, name: 'grep_files', args: { pattern }, plain });
    }
    process.stdout.write(`  listing ${LISTED_FILES} files\n`);
    const listed = makeTree(path.join(folder, 'listed'), LISTED_FILES);
    const last = { recursive: true, offset: LISTED_FILES };
    const plain = runIn(listed, ripgrep, ['--files', '--hidden']);
    await compare({ cwd: listed, rounds: LIST_ROUNDS, name: 'list_dir', args: last, plain });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Comparison = {
  readonly cwd: string;
  readonly rounds: number;
  /** The tool, and what it is asked for. */
  readonly name: string;
  readonly args: object;
  readonly plain: () => Promise<unknown>;
};

async function compare({ cwd, rounds, name, args, plain }: Comparison): Promise<void> {
  const open = (sandboxMode: SandboxMode): Runtime =>
    createRuntime({ cwd, home: path.join(cwd, '../home'), sandboxMode });
  const runtimes = [open('danger-full-access'), open('workspace-write')] as const;
  const call = (runtime: Runtime) => async () => {
    const { outcome } = await runtime.runCall({ name, payload: { kind: 'function', arguments: JSON.stringify(args) } });
    if (outcome.kind !== 'completed') throw new Error(`${name} failed: ${JSON.stringify(outcome)}`);
  };
  const ways: readonly Way[] = [
    ['rg', plain],
    [`${name}, full access`, call(runtimes[0])],
    [`${name}, confined`, call(runtimes[1])],
  ];
  try {
    for (const [, run] of ways) await run();
    await measure(ways, rounds);
  } finally {
    await Promise.all(runtimes.map((runtime) => runtime.close()));
  }
}

function plainArguments(pattern: string): readonly string[] {
  const request = {
    pattern,
    output: 'content',
    caseSensitive: true,
    literal: false,
    multiline: false,
    context: 0,
  } as const;
  return ripgrepArguments(request, { target: './', surroundings: SURROUNDINGS, names: [], unwanted: [] });
}

function runIn(cwd: string, program: string, args: readonly string[]): () => Promise<unknown> {
  return () => {
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.resume();
    return new Promise((resolve) => child.once('close', resolve));
  };
}

/** A repository, with folders in folders. */
function makeTree(root: string, files: number): string {
  mkdirSync(path.join(root, '.git'), { recursive: true });
  writeFileSync(path.join(root, '.gitignore'), 'node_modules\ndist/\n*.log\n/build/**/*.tmp\n');
  for (let folder = 0; folder * FILES_IN_FOLDER < files; folder += 1) {
    const place = path.join(root, `part-${folder % 20}`, `folder-${folder}`);
    mkdirSync(place, { recursive: true });
    for (let file = folder * FILES_IN_FOLDER; file < Math.min(files, (folder + 1) * FILES_IN_FOLDER); file += 1) {
      writeFileSync(path.join(place, `file-${file}.ts`), sourceOf(file));
    }
  }
  return root;
}

function sourceOf(file: number): string {
  const lines = Array.from({ length: 40 }, (_, line) => `export const value${line} = compute(${file}, ${line});`);
  return `${lines.join('\n')}\n// needle in file ${file}\n`;
}
