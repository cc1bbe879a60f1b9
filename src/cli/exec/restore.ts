/**
 * What a session runs with, as its file keeps it for whoever goes on with it. A value that may be a secret is never
 * written: its key is, so that it can be said what is missing.
 */
import { array, boolean, object, record, safeParse, string, unknown } from 'zod/mini';
import type { z } from 'zod/mini';

import { runtimeOptions } from '../../index.js';
import type { Config, ConfigOverride, SaidSetting, SessionLine } from '../../index.js';
import { UsageError } from '../usage-error.js';

const settings = () => record(string(), unknown());

/** Made when a session goes on: a new one has nothing to restore. */
const restoreSchema = () =>
  object({
    /** What flags and `-c` said, key by key. */
    said: settings(),
    /** What held without being said. The model and its server stand beside all this, in the same line. */
    held: settings(),
    /** Keys that were said with values that may be secrets. */
    secret: array(string()),
    addDirs: array(string()),
    /** Whether the server was looked for on this machine. */
    oss: boolean(),
    ignoreUserConfig: boolean(),
    ignoreRules: boolean(),
  });

export type Restore = z.infer<ReturnType<typeof restoreSchema>>;

/** What a session ran with when it was left. */
export type Past = { readonly model: string; readonly provider: string; readonly restore?: Restore };

/** Undefined for a session in which nothing has happened yet. Throws a `UsageError` for what cannot be understood. */
export function pastOf(lines: readonly SessionLine[]): Past | undefined {
  const chosen = lines.findLast((line) => line.type === 'settings.chosen');
  if (chosen === undefined) return undefined;
  const { model, provider, restore } = chosen;
  if (restore === undefined) return { model, provider };
  const parsed = safeParse(restoreSchema(), restore);
  // Without them it might go on with more rights than it had.
  if (!parsed.success)
    throw new UsageError("the session's settings cannot be understood: `restore` in settings.chosen");
  return { model, provider, restore: parsed.data };
}

/** What is said anew takes the place of more than its own key. */
export type SaidAnew = { readonly profile: boolean; readonly server: boolean };

type Override = Exclude<ConfigOverride, string>;

/** Above the configuration's files and below what is said now. */
export function pastOverrides(past: Past, anew: SaidAnew): readonly Override[] {
  const stale = anew.server ? ['model', 'model_provider'] : [];
  const said = Object.entries(past.restore?.said ?? {}).map(([key, value]) => override(key, value, '-c '));
  return [...(anew.profile ? [] : heldOverrides(past)), ...said].filter(({ key }) => !stale.includes(key));
}

function heldOverrides({ model, provider, restore }: Past): readonly Override[] {
  const server = { model, ...(restore?.oss !== true && { model_provider: provider }) };
  return Object.entries({ ...restore?.held, ...server }).map(([key, value]) => override(key, value));
}

function override(key: string, value: unknown, flag = ''): Override {
  return { key, value, label: `${flag}${key} of the session` };
}

export type Chosen = {
  readonly config: Config;
  /** On the command line, now or earlier. */
  readonly said: readonly SaidSetting[];
  readonly past: Past | undefined;
};

type Written = {
  readonly restore: Pick<Restore, 'said' | 'held' | 'secret'>;
  /** The keys of secrets that the session had, and that nobody has said again. */
  readonly missing: readonly string[];
};

/** What is to be written of the settings. A secret that is missing now is still so the next time. */
export function settingsToRestore({ config, said: all, past }: Chosen): Written {
  const said = all.filter(wasSaid(past));
  const open = said.filter(({ value }) => value !== undefined);
  const secret = said.filter(({ value }) => value === undefined).map(({ key }) => key);
  const missing = (past?.restore?.secret ?? []).filter((key) => !said.some((each) => each.key === key));
  return {
    restore: {
      said: Object.fromEntries(open.map(({ key, value }) => [key, value])),
      held: heldIn(config),
      secret: [...secret, ...missing],
    },
    missing,
  };
}

/** What only held before goes on to hold, without being said. */
function wasSaid(past: Past | undefined): (setting: SaidSetting) => boolean {
  const held = new Set(past ? heldOverrides(past).map(({ label }) => label) : []);
  return ({ flag }) => !held.has(flag);
}

/** As it was chosen, whoever there was to ask. */
function heldIn(config: Config): Restore['held'] {
  const { sandboxMode, approvalPolicy } = runtimeOptions(config);
  return {
    sandbox_mode: sandboxMode,
    approval_policy: config.approval_policy ?? approvalPolicy,
    ...(config.profile !== undefined && { profile: config.profile }),
  };
}
