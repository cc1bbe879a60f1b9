/**
 * The whole program, seen from outside: when its requests reach the model, how much memory it takes, when it ends. Beside it the
 * least program that could do the same (`plain-agent.ts`). These are the rows of `docs/performance.md`.
 */
import { fork, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildSync } from 'esbuild';

import { SCENARIOS } from './program-scenarios.js';
import { report } from './report.js';

const ROUNDS = 4;
const PROGRAM = path.join(import.meta.dirname, '../dist/tenon.cjs');

type Model = { readonly baseUrl: string; readonly arrivals: () => number[]; readonly close: () => void };
/** Milliseconds, but for `memory`, which is in megabytes. */
type Run = { readonly first: number; readonly wall: number; readonly gaps: readonly number[]; readonly memory: number };

export async function programCost(): Promise<void> {
  const base = mkdtempSync(path.join(tmpdir(), 'tenon-bench-'));
  try {
    const plain = path.join(base, 'plain-agent.mjs');
    buildPlain(plain);
    for (const name of Object.keys(SCENARIOS)) await withModel((model) => compare(name, { base, plain, model }));
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

/** One of its own for each scenario, because it keeps all that it is sent. */
async function withModel(work: (model: Model) => Promise<void>): Promise<void> {
  const model = await startModel();
  await work(model).finally(() => model.close());
}

type Stand = { readonly base: string; readonly plain: string; readonly model: Model };

async function compare(name: string, stand: Stand): Promise<void> {
  const { isPlain } = SCENARIOS[name] ?? { isPlain: false };
  const runs = { plain: [] as Run[], tenon: [] as Run[], resumed: [] as Run[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    if (isPlain) runs.plain.push(await play([stand.plain, stand.model.baseUrl, `play ${name}`], name, stand));
    runs.tenon.push(await play(tenonArgs(name, stand), name, stand));
    if (name === 'long') runs.resumed.push(await play(resumeArgs(stand), name, stand));
  }
  for (const [what, pick] of Object.entries(MEASURES[name] ?? { 'each call': callOf })) {
    const rows = Object.entries(runs).map(([who, all]) => ({
      name: `${name}, ${what}, ${who}`,
      samples: all.map(pick),
    }));
    report(
      rows.filter(({ samples }) => samples.some((sample) => sample > 0)),
      what === 'memory' ? 'MB' : 'ms',
    );
  }
}

const callOf = ({ gaps }: Run): number => middle(gaps);

const MEASURES: Readonly<Record<string, Readonly<Record<string, (run: Run) => number>>>> = {
  text: { 'first request': ({ first }) => first, 'whole run': ({ wall }) => wall, memory: ({ memory }) => memory },
  output: { 'the call': callOf, memory: ({ memory }) => memory },
  long: {
    'first 50 calls': ({ gaps }) => middle(gaps.slice(0, 50)),
    'last 50 calls': ({ gaps }) => middle(gaps.slice(-50)),
    'whole run': ({ wall }) => wall,
  },
};

function tenonArgs(name: string, { base, model }: Stand): readonly string[] {
  const access = SCENARIOS[name]?.sandboxed ? 'workspace-write' : 'danger-full-access';
  return [PROGRAM, 'exec', '-C', path.join(base, 'workspace'), '-s', access, ...server(model), `play ${name}`];
}

function resumeArgs({ model }: Stand): readonly string[] {
  return [PROGRAM, 'exec', 'resume', '--last', '--all', ...server(model), 'play text'];
}

function server({ baseUrl }: Model): readonly string[] {
  const table = `model_providers.bench={ base_url = "${baseUrl}", wire_api = "responses", dialect = "openai" }`;
  return ['-m', 'gpt-5.5', '-c', 'model_provider=bench', '-c', table];
}

async function play(args: readonly string[], name: string, { base, model }: Stand): Promise<Run> {
  const workspace = path.join(base, 'workspace');
  rmSync(workspace, { recursive: true, force: true });
  mkdirSync(workspace);
  SCENARIOS[name]?.prepare?.(workspace);
  // Extra certificates make every start of Node slower by the same amount and would hide the difference.
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  model.arrivals();
  const started = performance.timeOrigin + performance.now();
  const child = spawn(process.execPath, args, {
    cwd: workspace,
    // A home of its own: how long somebody's profile takes is not what is measured.
    env: { ...env, HOME: base, TENON_HOME: path.join(base, 'home') },
    stdio: 'ignore',
  });
  let memory = 0;
  const watch = setInterval(() => (memory = Math.max(memory, peakOf(child.pid))), 10);
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  const wall = performance.timeOrigin + performance.now() - started;
  clearInterval(watch);
  if (code !== 0) throw new Error(`${name} ended with ${code}: ${args.join(' ')}`);
  const arrivals = model.arrivals();
  const { thinkingMs = 0 } = SCENARIOS[name] ?? {};
  const gaps = arrivals.slice(1).map((at, index) => at - (arrivals[index] ?? at) - (index === 0 ? thinkingMs : 0));
  return { first: (arrivals[0] ?? started) - started, wall, gaps, memory };
}

function peakOf(pid: number | undefined): number {
  try {
    const kilobytes = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return Number(kilobytes ?? 0) / 1024;
  } catch {
    return 0;
  }
}

function middle(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

/** As one file, as the program is: how long Node takes to compile it is not what is measured. */
function buildPlain(outfile: string): void {
  const entry = path.join(import.meta.dirname, 'plain-agent.ts');
  buildSync({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', minify: true });
}

function startModel(): Promise<Model> {
  const process = fork(path.join(import.meta.dirname, 'program-server.ts'), { stdio: 'inherit' });
  let arrivals: number[] = [];
  return new Promise((resolve, reject) => {
    process.once('exit', () => reject(new Error('the server of the benchmark did not start')));
    process.on('message', (told: { readonly baseUrl?: string; readonly arrived?: number }) => {
      if (told.arrived !== undefined) arrivals.push(told.arrived);
      if (told.baseUrl === undefined) return;
      const take = (): number[] => {
        const taken = arrivals;
        arrivals = [];
        return taken;
      };
      resolve({ baseUrl: told.baseUrl, arrivals: take, close: () => void process.kill() });
    });
  });
}
