/**
 * Reads a file of rules. It is TOML; each rule stands under a header of its own:
 *
 *   file      := (header (key "=" value)+)*
 *   header    := "[[command]]" | "[[path]]" | "[[host]]" | "[[mcp]]" | "[[typed]]"
 *   any       := decision = "allow" | "prompt" | "forbidden", and optionally justification = text,
 *                match = list and not_match = list: examples that are held against the rule when it is read
 *   [[command]]  pattern = list of places, each a whole word or a list of alternatives, without wildcards; optionally
 *                exact = true (no further words), cwd = folder (there and below), unconfined = true (with "allow" only)
 *   [[path]]     read = list of patterns, write = list of patterns; at least one of them
 *   [[host]]     host = list of `example.com`, `*.example.com` (all below it) or `*`
 *   [[mcp]]      tool = list of `server/tool`, where `*` stands for anything
 *   [[typed]]    text = list of lines, where `*` stands for anything; optionally program = like a command's pattern
 *
 * Where a list is wanted, one text will do. Patterns of paths: see `rules/path-automaton.ts`; `~` is the home, `**` at
 * the beginning means anywhere. An example of a command is a list of words, or one plain command as in a shell.
 */
import type { z } from 'zod/mini';

import { describeIssue } from '../core/argument-words.js';
import { messageOf } from '../core/errors.js';
import { isJsonObject } from '../core/json-object.js';
import type { JsonObject } from '../core/json-object.js';
import { nearest } from '../core/nearest.js';
import { createRuleBook } from '../rules/rule-book.js';
import type { Rule } from '../rules/rules.js';
import type { Places } from './path-words.js';
import { RULE_KINDS } from './rule-kinds.js';
import type { Example, RuleKind, RuleTable, TableReader } from './rule-kinds.js';
import { tablePlaces } from './toml-places.js';
import type { TablePlace } from './toml-places.js';
import { WrongRule } from './wrong-rule.js';

export type RuleSource = Places & { readonly file: string };
export type RuleProblem = { readonly line: number; readonly message: string };

export type RuleFile = {
  /** Those without a problem, in order. */
  readonly rules: readonly Rule[];
  readonly problems: readonly RuleProblem[];
  /** How many examples were held against them. */
  readonly examples: number;
};

/** Never throws for what the text says. */
export async function readRuleFile(text: string, source: RuleSource): Promise<RuleFile> {
  const { parse } = await import('smol-toml');
  let raw: JsonObject;
  try {
    raw = parse(text);
  } catch (error) {
    return { rules: [], problems: [invalidToml(error)], examples: 0 };
  }
  const places = tablePlaces(text);
  const read = Object.entries(raw).flatMap(([name, value]) =>
    isKind(name) ? readTables(name, value, { places, source }) : [unknownTable(name, places)],
  );
  return {
    rules: read.flatMap(({ rules }) => rules).toSorted((a, b) => a.line - b.line),
    problems: read
      .flatMap(({ problems }) => problems)
      .map(({ line, message }) => ({ line, message: visible(message) }))
      .toSorted((a, b) => a.line - b.line),
    examples: read.reduce((sum, { examples }) => sum + examples, 0),
  };
}

function invalidToml(error: unknown): RuleProblem {
  const { line = 1 } = error as { line?: number };
  const [first = ''] = messageOf(error).split('\n', 1);
  return { line, message: visible(`not valid TOML: ${first.replace(/^Invalid TOML document: /, '')}`) };
}

/** On one line, and without anything that a terminal would obey. */
function visible(message: string): string {
  return message.replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${code}`;
  });
}

function isKind(name: string): name is Rule['kind'] {
  return Object.hasOwn(RULE_KINDS, name);
}

function unknownTable(name: string, places: readonly TablePlace[]): RuleFile {
  const place = places.find((each) => each.name === name);
  const line = place?.line ?? places[0]?.keys.get(name) ?? 1;
  const guess = nearest(name, Object.keys(RULE_KINDS));
  const hint = guess === undefined ? `; there are ${KNOWN_TABLES}` : `; did you mean \`[[${guess}]]\`?`;
  return onlyProblem(line, `unknown table \`${name}\`${hint}`);
}

const KNOWN_TABLES = Object.keys(RULE_KINDS)
  .map((kind) => `\`[[${kind}]]\``)
  .join(', ');

function onlyProblem(line: number, message: string): RuleFile {
  return { rules: [], problems: [{ line, message }], examples: 0 };
}

type Surroundings = { readonly places: readonly TablePlace[]; readonly source: RuleSource };

function readTables(kind: Rule['kind'], value: unknown, { places, source }: Surroundings): readonly RuleFile[] {
  const listed = places.filter((place) => place.name === kind && place.isListed);
  if (!Array.isArray(value) || value.length !== listed.length || !value.every(isJsonObject)) {
    const line = places[0]?.keys.get(kind) ?? places.find((place) => place.name === kind)?.line ?? 1;
    return [onlyProblem(line, `each rule must stand under its own \`[[${kind}]]\` header`)];
  }
  return listed.map((place, index) => readTable(RULE_KINDS[kind], value[index] as JsonObject, { place, source }));
}

function readTable(
  kind: RuleKind,
  raw: JsonObject,
  { place, source }: { readonly place: TablePlace; readonly source: RuleSource },
): RuleFile {
  const problems: RuleProblem[] = [];
  const report = (key: string, message: string) =>
    void problems.push({ line: place.keys.get(key) ?? place.line, message });
  for (const key of Object.keys(raw)) reportUnknown(key, kind.keys, report);

  const read = kind.read(raw);
  if ('issues' in read) {
    for (const issue of read.issues) report(String(issue.path[0]), describe(issue, raw));
    return { rules: [], problems, examples: 0 };
  }
  const reader = createReader(read.table, { place, source, report });
  const rules = read.table.rules(reader);
  const examples = problems.length > 0 ? 0 : checkExamples(read.table, rules, reader);
  return { rules: problems.length > 0 ? [] : rules, problems, examples };
}

type Report = (key: string, message: string) => void;

function reportUnknown(key: string, known: readonly string[], report: Report): void {
  if (known.includes(key)) return;
  const guess = nearest(key, known);
  report(key, `unknown key \`${key}\`${guess === undefined ? '' : `; did you mean \`${guess}\`?`}`);
}

function describe(issue: z.core.$ZodIssue, raw: JsonObject): string {
  if (issue.code !== 'too_small') return describeIssue(issue, raw);
  const [key] = issue.path;
  return `\`${String(key)}\` ${issue.path.length === 1 ? 'is empty' : 'holds something empty'}; fill it or leave it out`;
}

function createReader(
  { decision, justification }: RuleTable,
  { place, source, report }: { readonly place: TablePlace; readonly source: RuleSource; readonly report: Report },
): TableReader {
  const why = justification === undefined ? {} : { justification };
  return {
    places: source,
    saying: { decision, ...why, file: source.file, line: place.line },
    attempt(key, read) {
      try {
        return read();
      } catch (error) {
        if (!(error instanceof WrongRule)) throw error;
        report(key, error.message);
        return undefined;
      }
    },
  };
}

function checkExamples(table: RuleTable, rules: readonly Rule[], { places, attempt }: TableReader): number {
  const book = createRuleBook(rules);
  const check = (key: string, example: Example, wanted: boolean) =>
    attempt(key, () => {
      if (table.holds(example, book, places) === wanted) return;
      const shown = typeof example === 'string' ? example : example.join(' ');
      throw new WrongRule(`${key}: \`${shown}\` is ${wanted ? 'not ' : ''}matched by this rule`);
    });
  for (const example of table.match) check('match', example, true);
  for (const example of table.notMatch) check('not_match', example, false);
  return table.match.length + table.notMatch.length;
}
