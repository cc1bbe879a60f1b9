/** What a verdict costs: reading and judging 10,000 commands, with and without 1,000 rules, and loading those rules. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { absolutePath, createRuntime, openRules } from '../src/index.js';
import type { Intent } from '../src/index.js';
import { createMemoryWorkspace } from '../src/testing/index.js';
import { measure, report } from './report.js';

const COMMANDS = 10_000;
const RULES = 1_000;
const ROUNDS = 5;

export async function policyCost(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tenon-bench-'));
  try {
    writeRules(path.join(folder, 'many'));
    process.stdout.write(`  reading and judging, each of ${COMMANDS} commands\n`);
    await judging(folder);
    process.stdout.write(`  loading rules\n`);
    await loading(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function judging(folder: string): Promise<void> {
  const ways: readonly (readonly [name: string, home: string, lines: readonly string[]])[] = [
    ['a plain command', 'none', ['git status --short', 'npm test', 'ls -la src', 'cargo build --release']],
    ['the same, 1,000 rules', 'many', ['git status --short', 'npm test', 'ls -la src', 'cargo build --release']],
    ['a script', 'none', SCRIPTS],
    ['the same, 1,000 rules', 'many', SCRIPTS],
  ];
  const rows = ways.map(([name, home, lines]) => {
    const runtime = createRuntime({ workspace: createMemoryWorkspace(), home: path.join(folder, home) });
    return { name, runtime, intents: intentsFor(lines), samples: [] as number[] };
  });
  // What is loaded with the first verdict is measured below.
  for (const { runtime, intents } of rows) for (const intent of intents.slice(0, 100)) await runtime.explain(intent);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { runtime, intents, samples } of rows) {
      const started = performance.now();
      for (const intent of intents) await runtime.explain(intent);
      samples.push(((performance.now() - started) * 1000) / intents.length);
    }
  }
  report(rows, 'µs');
}

const SCRIPTS = [
  'for f in src/*.ts; do wc -l "$f"; done | sort -n | tail -5',
  'cd web && npm run build 2>&1 | tee build.log | grep -i error || echo none',
  'find . -name "*.ts" -not -path "*/node_modules/*" -exec grep -ln "export default" {} +',
  `test -f package.json && node -e 'console.log(require("./package.json").version)' > version.txt`,
];

/** Each command is another one, so that nothing could be remembered. */
function intentsFor(lines: readonly string[]): readonly Intent[] {
  const cwd = absolutePath('/workspace');
  return Array.from({ length: COMMANDS }, (_, index) => {
    const script = `${lines[index % lines.length] ?? ''} ${index}`;
    return { effects: [{ kind: 'exec', argv: ['bash', '-lc', script], cwd }] };
  });
}

async function loading(folder: string): Promise<void> {
  mkdirSync(path.join(folder, 'none'));
  await measure(
    [
      ['no rules', () => openRules({ home: path.join(folder, 'none') }).load()],
      ['1,000 rules with 2,000 examples', () => openRules({ home: path.join(folder, 'many') }).load()],
      ['a runtime that judges nothing, 1,000 rules', () => runtimeWithoutCalls(path.join(folder, 'many'))],
    ],
    20,
  );
}

async function runtimeWithoutCalls(home: string): Promise<void> {
  await createRuntime({ workspace: createMemoryWorkspace(), home }).close();
}

function writeRules(home: string): void {
  const programs = ['git', 'npm', 'cargo', 'docker', 'kubectl', 'make', 'go', 'python3', 'terraform', 'aws'];
  const rules = Array.from({ length: RULES }, (_, index) => {
    const words = [programs[index % programs.length] ?? '', `verb-${index}`];
    const decision = ['allow', 'prompt', 'forbidden'][index % 3];
    return [
      '[[command]]',
      `pattern = ${JSON.stringify(words)}`,
      `decision = "${decision}"`,
      `match = ["${words.join(' ')} x"]`,
      `not_match = ["${words[0]} other"]`,
      '',
    ].join('\n');
  });
  mkdirSync(path.join(home, 'rules'), { recursive: true });
  writeFileSync(path.join(home, 'rules', 'many.toml'), rules.join('\n'));
}
