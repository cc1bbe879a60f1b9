/** A home whose model is a script, a workspace, and the program in it. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { ExecEvent } from '../../../src/cli/exec/exec-event.js';
import type { SessionLine } from '../../../src/index.js';
import type { ModelScript, ScriptedCall, ScriptedModel } from '../../../src/testing/index.js';
import { saidIn } from '../../support/agent.js';
import { runCli, startCli } from '../../support/cli.js';
import type { CliOptions, CliResult } from '../../support/cli.js';
import { scriptedModel } from '../../support/model-server.js';
import { tempFolder } from '../../support/temp-folder.js';

export type Stand = {
  readonly home: string;
  readonly cwd: string;
  readonly model: ScriptedModel;
  /** `tenon` with these arguments. */
  readonly run: (args: readonly string[], options?: CliOptions) => Promise<CliResult>;
  readonly start: (args: readonly string[]) => ReturnType<typeof startCli>;
  /** What was said in a request, without the messages on rights and surroundings. */
  readonly talk: (request: number) => readonly string[];
  /** The ids of the sessions that are kept. */
  readonly kept: () => readonly string[];
  readonly fileOf: (id: string) => string;
  readonly linesOf: (id: string) => readonly SessionLine[];
};

export const KEY = 'sk-of-the-test-0123456789';
export const FULL = ['-s', 'danger-full-access'];

export async function stand(script: ModelScript, settings = ''): Promise<Stand> {
  const [model, home, cwd] = [await scriptedModel(script), tempFolder(), tempFolder()];
  const table = (name: string): string =>
    `[model_providers.${name}]\nbase_url = "${model.baseUrl}"\nwire_api = "responses"\nenv_key = "SCRIPTED_KEY"\n`;
  const config = `model = "scripted-model"\nmodel_provider = "scripted"\n${settings}\n`;
  writeFileSync(path.join(home, 'config.toml'), `${config}${table('scripted')}${table('second')}`);
  const options = { home, cwd, env: { SCRIPTED_KEY: KEY, TZ: 'UTC' } };
  const fileOf = (id: string): string => path.join(home, 'sessions', `${id}.jsonl`);
  return {
    home,
    cwd,
    model,
    run: (args, more = {}) => runCli(args, { ...options, ...more, env: { ...options.env, ...more.env } }),
    start: (args) => startCli(args, options),
    talk: (request) => {
      const asked = model.requests[request];
      return asked ? saidIn(asked).filter((text) => !/^\w+: <(?:permissions|environment)/.test(text)) : [];
    },
    kept: () => sessionsIn(home),
    fileOf,
    linesOf: (id) => jsonLines(readFileSync(fileOf(id), 'utf8')) as readonly SessionLine[],
  };
}

function sessionsIn(home: string): readonly string[] {
  if (!readdirSync(home).includes('sessions')) return [];
  const names = readdirSync(path.join(home, 'sessions')).filter((name) => name.endsWith('.jsonl'));
  return names.map((name) => name.slice(0, -'.jsonl'.length)).toSorted();
}

function jsonLines(text: string): readonly unknown[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

/** The lines of `--json`. */
export function eventsOf({ stdout }: CliResult): readonly ExecEvent[] {
  return jsonLines(stdout) as readonly ExecEvent[];
}

/** The first of them. */
export function threadOf(result: CliResult): Extract<ExecEvent, { type: 'thread.started' }> {
  const [first] = eventsOf(result);
  if (first?.type !== 'thread.started') throw new Error(`no thread was started: ${result.stdout}${result.stderr}`);
  return first;
}

/** A first turn, of which only the session's id matters. */
export async function firstTurn({ run }: Stand, args: readonly string[] = []): Promise<string> {
  return threadOf(await run(['exec', '--json', 'one', ...args])).thread_id;
}

export function command(cmd: string, callId = 'c1'): ScriptedCall {
  return { name: 'exec_command', arguments: { cmd, login: false }, callId };
}
