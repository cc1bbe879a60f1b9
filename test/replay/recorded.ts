/** Records a session with a scripted model, and plays it again elsewhere. */
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';

import { openAgent, replaySession } from '../../src/index.js';
import type {
  Agent,
  AgentOptions,
  Config,
  Divergence,
  PartSettings,
  ReplayOptions,
  ReplayResult,
  SessionLine,
} from '../../src/index.js';
import type { ModelScript } from '../../src/testing/index.js';
import { scriptedModel } from '../support/model-server.js';
import { memoryLog } from '../support/session-log.js';
import { tempFolder } from '../support/temp-folder.js';

const FREE: Config = { sandbox_mode: 'danger-full-access', approval_policy: 'never' };

export type Recorded = {
  readonly lines: readonly SessionLine[];
  readonly cwd: string;
  readonly settings: PartSettings;
};

export type Given = {
  readonly script: ModelScript;
  /** What the user does. Default: one turn. */
  readonly act?: (agent: Agent, cwd: string) => Promise<unknown>;
  readonly files?: Readonly<Record<string, string>>;
  readonly config?: Config;
  readonly approver?: AgentOptions['approver'];
};

export async function record(given: Given): Promise<Recorded> {
  const server = await scriptedModel(given.script);
  const cwd = workspaceWith(given.files);
  const provider = { base_url: server.baseUrl, wire_api: 'responses', request_max_retries: 1 } as const;
  const config = {
    ...FREE,
    model: 'scripted-model',
    model_provider: 'script',
    model_providers: { script: provider },
    ...given.config,
  };
  const home = tempFolder();
  const log = memoryLog();
  log.append({ type: 'session.created', v: 1, id: log.id, at: new Date().toISOString(), cwd, version: '0' });
  const agent = await openAgent({
    config,
    cwd,
    home,
    env: {},
    kept: { log, past: [] },
    ...(given.approver && { approver: given.approver }),
  });
  onTestFinished(() => agent.close());
  await (given.act ?? (({ session }) => session.send('Do it')))(agent, cwd);
  await agent.close();
  // What it kept is not there when it is played again.
  rmSync(home, { recursive: true });
  return { lines: log.lines, cwd, settings: { config, rules: { load: async () => [] } } };
}

function workspaceWith(files: Readonly<Record<string, string>> = {}): string {
  const cwd = tempFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(cwd, name), text);
  return cwd;
}

export type Played = ReplayResult & { readonly found: readonly Divergence[]; readonly cwd: string };

export async function play(
  { lines, settings }: Recorded,
  options: Partial<ReplayOptions> & { readonly config?: Config; readonly files?: Given['files'] } = {},
): Promise<Played> {
  const { config, files, ...rest } = options;
  const cwd = workspaceWith(files);
  const found: Divergence[] = [];
  const result = await replaySession({
    lines,
    cwd,
    home: tempFolder(),
    tools: 'real',
    settingsFor: () => Promise.resolve({ ...settings, config: { ...settings.config, ...config } }),
    ...rest,
    onDivergence: (divergence) => void found.push(divergence),
  });
  return { ...result, found, cwd: options.cwd ?? cwd };
}

/** Without the diffs. */
export function placesOf({ found }: Played): readonly string[] {
  return found.map(({ turn, call, what }) => `turn ${turn}${call ? `, ${call.name} ${call.number}` : ''}: ${what}`);
}

export function command(cmd: string, more: object = {}): { name: string; arguments: Record<string, unknown> } {
  return { name: 'exec_command', arguments: { cmd, login: false, ...more } };
}
