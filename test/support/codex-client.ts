/** A client written with the SDK of Codex, as its documentation shows it, but for the program, the address and the home. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Codex } from '@openai/codex-sdk';
import type { CodexOptions, ThreadOptions } from '@openai/codex-sdk';

import type { ModelScript, ScriptedModel } from '../../src/testing/index.js';
import { PROGRAM, withCompiledCode } from './cli.js';
import { scriptedModel } from './model-server.js';
import { tempFolder } from './temp-folder.js';

export const CLIENT_KEY = 'sk-of-the-client-0123456789';

export type CodexClient = {
  readonly codex: Codex;
  readonly model: ScriptedModel;
  readonly home: string;
  readonly cwd: string;
  /** For a thread that works in `cwd`, without a sandbox. */
  readonly options: ThreadOptions;
};

export async function codexClient(script: ModelScript, { env, ...options }: CodexOptions = {}): Promise<CodexClient> {
  const [model, home, cwd] = [await scriptedModel(script), tempFolder(), tempFolder()];
  const codex = new Codex({
    codexPathOverride: PROGRAM,
    baseUrl: model.baseUrl,
    apiKey: CLIENT_KEY,
    env: { PATH: pathWithNode(), HOME: home, TENON_HOME: withCompiledCode(home), ...env },
    ...options,
  });
  return { codex, model, home, cwd, options: { workingDirectory: cwd, sandboxMode: 'danger-full-access' } };
}

/** The program is started by its first line, which looks for `node`: it should find the one of the tests. */
function pathWithNode(): string {
  return [path.dirname(process.execPath), process.env['PATH']].join(path.delimiter);
}

/** The names of what runs with this home in its environment: the program, and all that it has started. */
export function programsOf(home: string): readonly string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      const isOurs = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`TENON_HOME=${home}`);
      return isOurs ? [readFileSync(`/proc/${pid}/comm`, 'utf8').trim()] : [];
    } catch {
      return [];
    }
  });
}

export const ONE_PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Writes an image of one pixel into a folder. */
export function imageIn(folder: string): string {
  const file = path.join(folder, 'dot.png');
  writeFileSync(file, Buffer.from(ONE_PIXEL, 'base64'));
  return file;
}
