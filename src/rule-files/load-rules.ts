/** Finds the files of rules: the user's own, then the project's. Nothing runs on rules that were read only in part. */
import { constants } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';

import { ConfigError, messageOf } from '../core/errors.js';
import type { Rule, Rules } from '../rules/rules.js';
import type { Places } from './path-words.js';
import type { RuleProblem } from './rule-file.js';

export type RuleFolders = {
  /** Tenon's own folder, which holds `rules`. */
  readonly home: string;
  /** What `~` stands for. */
  readonly userHome: string;
  readonly project?: { readonly root: string };
};

/** A file of rules with what is wrong with it. */
export type RuleReport = {
  readonly file: string;
  readonly rules: readonly Rule[];
  /** How many examples were held against the rules. */
  readonly examples: number;
  readonly problems: readonly RuleProblem[];
};

/** Throws a `ConfigError` that lists all problems, a line for each, as `FILE:LINE: problem`. */
export async function loadRules(folders: RuleFolders): Promise<Rules> {
  const reports = await readRules(folders);
  const problems = reports.flatMap(({ file, problems: told }) =>
    told.map(({ line, message }) => `${file}:${line}: ${message}`),
  );
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return reports.flatMap((report) => report.rules);
}

/** The same with every problem as data. */
export async function readRules({ home, userHome, project }: RuleFolders): Promise<readonly RuleReport[]> {
  const own = await readFolder(rulesFolder(home), { home: userHome });
  const others = project
    ? await readFolder(path.join(project.root, '.tenon', 'rules'), { home: userHome, base: project.root })
    : [];
  return [...own, ...others];
}

export function rulesFolder(home: string): string {
  return path.join(home, 'rules');
}

async function readFolder(folder: string, places: Places): Promise<readonly RuleReport[]> {
  let names: readonly string[];
  try {
    names = await fs.readdir(folder);
  } catch (error) {
    return isMissing(error) ? deadLinks(folder) : [notRead(folder, `the folder cannot be read: ${messageOf(error)}`)];
  }
  const shown = names.filter((name) => !name.startsWith('.')).toSorted();
  const reports = await Promise.all(shown.map((name) => readEntry(path.join(folder, name), places)));
  return reports.flat();
}

/** Whoever made a link for the rules has some, even if it does not lead to them now. */
async function deadLinks(folder: string): Promise<readonly RuleReport[]> {
  for (const each of [folder, path.dirname(folder)]) {
    if (await isDeadLink(each)) {
      return [notRead(each, 'it is a link that leads nowhere; mend it, or remove it if there are no rules')];
    }
  }
  return [];
}

async function isDeadLink(file: string): Promise<boolean> {
  const stats = await fs.lstat(file).catch(() => undefined);
  if (!stats?.isSymbolicLink()) return false;
  return (await fs.stat(file).catch(() => undefined)) === undefined;
}

/** What looks like rules but is not read must not be passed over in silence. */
async function readEntry(entry: string, places: Places): Promise<readonly RuleReport[]> {
  if (entry.endsWith('.toml')) return [await checkRuleFile(entry, places)];
  if (isRules(entry)) return [notRead(entry, 'it is not read; let its name end with `.toml` in small letters')];
  const below = await namesBelow(entry);
  return below
    .filter((name) => isRules(name) && !/(?:^|[\\/])\./.test(name))
    .toSorted()
    .map((name) => notRead(path.join(entry, name), `it is not read; move it to \`${path.dirname(entry)}\` itself`));
}

/** Of what is no folder, or cannot be looked into, none. */
async function namesBelow(entry: string): Promise<readonly string[]> {
  return fs.readdir(entry, { recursive: true }).catch(() => []);
}

function isRules(name: string): boolean {
  return /\.toml$/i.test(name);
}

/** Never throws: a file that cannot be read is a problem like others. */
export async function checkRuleFile(file: string, places: Places): Promise<RuleReport> {
  try {
    const text = decodeRules(await readRuleBytes(file));
    // Most have no rules, and need nothing of what reads them.
    const { readRuleFile } = await import('./rule-file.js');
    return { file, ...(await readRuleFile(text, { file, ...places })) };
  } catch (error) {
    return notRead(file, `it cannot be read: ${messageOf(error)}`);
  }
}

function notRead(file: string, message: string): RuleReport {
  return { file, rules: [], examples: 0, problems: [{ line: 1, message }] };
}

export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

/** Of one file. */
export const MOST_RULE_BYTES = 1024 * 1024;

/** Without O_NONBLOCK, opening a named pipe waits for a writer for ever. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

export async function readRuleBytes(file: string): Promise<Buffer> {
  const handle = await fs.open(file, READ_FLAGS);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error('it is not a regular file');
    if (stats.size > MOST_RULE_BYTES) throw new Error('it is bigger than 1 MiB');
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

export function decodeRules(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new Error('it is not UTF-8', { cause: error });
  }
}
