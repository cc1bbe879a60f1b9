/**
 * The user's rules, arranged to be asked. It tells every rule that holds; what follows from them is the judge's matter.
 * Where something is not known, rules that restrict hold and others do not.
 */
import { isExact } from '../shell/reading.js';
import type { Word } from '../shell/reading.js';
import { hostPattern, patternsOver } from './host-pattern.js';
import { matchFolders, matchWords, nameKey } from './match-command.js';
import type { Certainty } from './match-command.js';
import { compilePathPattern } from './path-pattern.js';
import type { PathPattern } from './path-pattern.js';
import type { CommandRule, HostRule, McpRule, PathRule, Rule, Rules, TypedRule } from './rules.js';
import { fitsText } from './text-pattern.js';

type CommandMatch = { readonly rule: CommandRule; readonly certainty: Certainty };
export type Access = PathRule['access'];

export interface RuleBook {
  readonly isEmpty: boolean;
  /** Whether any command rule asks or forbids. */
  readonly restrictsCommands: boolean;
  /** Whether some commands are allowed to run without a sandbox. */
  readonly freesCommands: boolean;
  /** Whether there is any rule over files. */
  readonly namesPaths: boolean;
  readonly restrictsPaths: boolean;
  readonly restrictsHosts: boolean;
  /** `words` are those of one command, `folders` where it may run; undefined when that cannot be told. */
  commands(words: readonly Word[], folders: readonly string[] | undefined): readonly CommandMatch[];
  paths(access: Access, path: string): readonly PathRule[];
  /**
   * Rules that restrict something in a folder that is walked as a whole. Only those that name it without wildcards:
   * `**` + `/.env` may lie below every folder.
   */
  pathsBelow(access: Access, folder: string): readonly PathRule[];
  /** Rules that restrict what may be a path of which only the beginning is known. */
  pathsBeginning(access: Access, beginning: string): readonly PathRule[];
  /** What is forbidden outright, by name. */
  readonly closed: ClosedPlaces;
  hosts(host: string): readonly HostRule[];
  mcp(server: string, tool: string): readonly McpRule[];
  /** `line` is one line as it is typed, `into` what reads it; undefined when that cannot be told. */
  typed(line: string, into: TypedInto | undefined): readonly TypedRule[];
  /** Whether any rule restricts what is typed there. */
  restrictsTyping(into: TypedInto | undefined): boolean;
}

/** Files and folders that a sandbox can close once and for all. */
type ClosedPlaces = {
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Whether that is every restriction there is; not so when some have wildcards, or ask. */
  readonly isAll: boolean;
};

/** The command of a session. A rule that restricts holds for each, one that allows only for the one that surely reads. */
export type TypedInto = {
  /** The command and all that it runs in turn. */
  readonly every: readonly (readonly Word[])[];
  readonly sole?: readonly Word[];
};

export type RuleBookOptions = {
  /** Whether the system takes names of files for the same in upper and lower case. */
  readonly foldCase?: boolean;
};

export function createRuleBook(rules: Rules, { foldCase = false }: RuleBookOptions = {}): RuleBook {
  const commands = rules.filter((rule) => rule.kind === 'command');
  const paths = rules.filter((rule) => rule.kind === 'path');
  const hosts = rules.filter((rule) => rule.kind === 'host');
  const mcp = rules.filter((rule) => rule.kind === 'mcp');
  const typed = rules.filter((rule) => rule.kind === 'typed');
  const byName = indexed(commands, (rule) => (rule.pattern[0] ?? []).map((name) => nameKey(name, foldCase)));
  const byHost = indexed(hosts, (rule) => rule.hosts.map(hostPattern));
  const byAccess = {
    read: paths.filter((rule) => rule.access === 'read'),
    write: paths.filter((rule) => rule.access === 'write'),
  };
  const compiled = new Map<PathRule, readonly PathPattern[]>();

  function patternsOf(rule: PathRule): readonly PathPattern[] {
    const known = compiled.get(rule);
    if (known) return known;
    const folds = foldCase && restricts(rule);
    const patterns = rule.patterns.map((pattern) => compilePathPattern(pattern, { foldCase: folds }));
    compiled.set(rule, patterns);
    return patterns;
  }

  function restrictingPaths(access: Access, holds: (pattern: PathPattern) => boolean): readonly PathRule[] {
    return byAccess[access].filter((rule) => restricts(rule) && patternsOf(rule).some(holds));
  }

  function closedPlaces(): ClosedPlaces {
    const restricting = paths.filter(restricts);
    const named = (access: Access): readonly string[] =>
      restricting
        .filter((rule) => rule.access === access && rule.decision === 'forbidden')
        .flatMap((rule) => patternsOf(rule).flatMap((pattern) => pattern.names ?? []));
    const isClosed = (rule: PathRule): boolean =>
      rule.decision === 'forbidden' && patternsOf(rule).every(({ names }) => names !== undefined);
    return { read: named('read'), write: named('write'), isAll: restricting.every(isClosed) };
  }

  let closed: ClosedPlaces | undefined;
  return {
    get closed() {
      return (closed ??= closedPlaces());
    },
    isEmpty: rules.length === 0,
    restrictsCommands: commands.some(restricts),
    freesCommands: commands.some(({ unconfined }) => unconfined),
    namesPaths: paths.length > 0,
    restrictsPaths: paths.some(restricts),
    restrictsHosts: hosts.some(restricts),
    commands(words, folders) {
      const [name] = words;
      if (name === undefined) return [];
      const candidates = isExact(name) ? (byName.get(nameKey(name, foldCase)) ?? []) : commands;
      return candidates.flatMap((rule) => {
        const certainty = both(matchWords(rule, words, foldCase), matchFolders(rule, folders, foldCase));
        return certainty === undefined ? [] : [{ rule, certainty }];
      });
    },
    paths: (access, path) =>
      byAccess[access].filter((rule) => patternsOf(rule).some((pattern) => pattern.covers(path))),
    pathsBelow: (access, folder) => restrictingPaths(access, (pattern) => pattern.liesIn(folder)),
    pathsBeginning: (access, beginning) => restrictingPaths(access, (pattern) => pattern.mayCover(beginning)),
    hosts: (host) => [...new Set(patternsOver(host).flatMap((pattern) => byHost.get(pattern) ?? []))],
    mcp: (server, tool) =>
      mcp.filter((rule) => rule.tools.some((pattern) => holdsForTool(rule, pattern, server, tool))),
    typed: (line, into) => typed.filter((rule) => holdsForLine(rule, line) && holdsIn(rule, into, foldCase)),
    restrictsTyping: (into) => typed.some((rule) => restricts(rule) && holdsIn(rule, into, foldCase)),
  };
}

function restricts(rule: Rule): boolean {
  return rule.decision !== 'allow';
}

/** Each rule once under each of its keys, in order. */
function indexed<R extends Rule>(rules: readonly R[], keysOf: (rule: R) => readonly string[]): Map<string, R[]> {
  const index = new Map<string, R[]>();
  for (const rule of rules) {
    for (const key of new Set(keysOf(rule))) {
      const list = index.get(key);
      if (list) list.push(rule);
      else index.set(key, [rule]);
    }
  }
  return index;
}

function both(a: Certainty | undefined, b: Certainty | undefined): Certainty | undefined {
  if (a === undefined || b === undefined) return undefined;
  return a === 'yes' && b === 'yes' ? 'yes' : 'maybe';
}

/** A name may hold a slash: what is allowed must not depend on where one ends, what is restricted may not either. */
function holdsForTool(rule: McpRule, pattern: string, server: string, tool: string): boolean {
  if (restricts(rule) || pattern === '*') return fitsText(pattern, `${server}/${tool}`);
  const slash = pattern.indexOf('/');
  return slash !== -1 && fitsText(pattern.slice(0, slash), server) && fitsText(pattern.slice(slash + 1), tool);
}

function holdsForLine(rule: TypedRule, line: string): boolean {
  const typed = line.replace(/[\r\n]+$/, '');
  // A blank in front changes nothing for a shell, so it must not get a line by a rule.
  const forms = restricts(rule) ? [typed, typed.trim()] : [typed];
  return rule.text.some((pattern) => forms.some((form) => fitsText(pattern, form)));
}

function holdsIn({ program, decision }: TypedRule, into: TypedInto | undefined, fold: boolean): boolean {
  if (program === undefined) return true;
  const restricting = decision !== 'allow';
  if (into === undefined) return restricting;
  const fits = (words: readonly Word[]): string | undefined =>
    matchWords({ pattern: program, exact: false, decision }, words, fold);
  return restricting
    ? into.every.some((words) => fits(words) !== undefined)
    : into.sole !== undefined && fits(into.sole) === 'yes';
}
