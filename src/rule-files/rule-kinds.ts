/** The kinds of rules a file may hold: the keys of each, what becomes of them, and how an example is held against it. */
import { isIP } from 'node:net';
import {
  array,
  boolean,
  enum as oneOf,
  minLength,
  object,
  optional,
  pipe,
  safeParse,
  string,
  transform,
  trim,
  union,
} from 'zod/mini';
import type { z } from 'zod/mini';

import { hostName } from '../core/host-name.js';
import type { JsonObject } from '../core/json-object.js';
import type { RuleBook } from '../rules/rule-book.js';
import { RULE_DECISIONS } from '../rules/rules.js';
import type { CommandRule, Rule } from '../rules/rules.js';
import { withoutGlobalOptions } from '../programs/global-options.js';
import { readPlainScript } from '../shell/plain-script.js';
import { readArgv, readText } from '../shell/read-command.js';
import { everySegment, segmentsOf } from '../shell/reading.js';
import type { Word } from '../shell/reading.js';
import { exactWords, writtenWords } from './command-words.js';
import { writtenFolder, writtenPath, writtenPattern } from './path-words.js';
import type { Places } from './path-words.js';
import { WrongRule } from './wrong-rule.js';

export interface RuleKind {
  readonly keys: readonly string[];
  read(raw: JsonObject): { readonly table: RuleTable } | { readonly issues: readonly z.core.$ZodIssue[] };
}

/** A table whose keys have the right form. */
export interface RuleTable {
  readonly decision: Rule['decision'];
  readonly justification: string | undefined;
  readonly match: readonly Example[];
  readonly notMatch: readonly Example[];
  rules(reader: TableReader): readonly Rule[];
  /** Whether one of its rules, which the book consists of, holds for it. May throw a `WrongRule`. */
  holds(example: Example, book: RuleBook, places: Places): boolean;
}

export type Example = string | readonly string[];

export type TableReader = {
  readonly places: Places;
  /** What all rules have: the decision, and where it stands. */
  readonly saying: Pick<Rule, 'decision' | 'justification' | 'file' | 'line'>;
  /** The value, or undefined when it is wrong, which is told as a problem of that key, or of the rule as a whole. */
  readonly attempt: <T>(key: string, read: () => T) => T | undefined;
};

const filled = string().check(minLength(1));
/** Where a list is wanted, one text will do. */
const asList = transform((given) => (typeof given === 'string' ? [given] : given));
const texts = pipe(asList, array(filled).check(minLength(1)));
/** Of a text with blanks it is not sure whether it means one word. */
const asWords = transform((given) => (typeof given === 'string' && !/\s/.test(given) ? [given] : given));
const argv = pipe(asWords, array(pipe(asList, array(string()).check(minLength(1)))).check(minLength(1)));
const command = union([filled, array(string()).check(minLength(1))], {
  error: 'write a command or a list of its words',
});
const commands = pipe(asList, array(command).check(minLength(1)));

const saying = {
  decision: oneOf(RULE_DECISIONS),
  justification: optional(string().check(trim(), minLength(1))),
};
const examples = { match: optional(texts), not_match: optional(texts) };

const commandTable = object({
  ...saying,
  pattern: argv,
  exact: optional(boolean()),
  cwd: optional(filled),
  unconfined: optional(boolean()),
  match: optional(commands),
  not_match: optional(commands),
});

const pathTable = object({ ...saying, ...examples, read: optional(texts), write: optional(texts) });

export const RULE_KINDS: Readonly<Record<Rule['kind'], RuleKind>> = {
  command: defineKind(commandTable, {
    rules: (table, reader) => [commandRule(table, reader)],
    holds(example, book, { table: { cwd, decision }, places }) {
      const folders = cwd === undefined ? [] : [writtenPath(cwd, places)];
      return commandsOf(example, decision).some((words) => book.commands(words, folders).length > 0);
    },
  }),
  path: defineKind(pathTable, {
    rules: pathRules,
    holds(example, book, { places }) {
      const path = writtenPath(String(example), places);
      return book.paths('read', path).length > 0 || book.paths('write', path).length > 0;
    },
  }),
  host: defineKind(object({ ...saying, ...examples, host: texts }), {
    rules({ host }, { saying: said, attempt }) {
      for (const each of host) attempt('host', () => checkHost(each));
      return [{ ...said, kind: 'host', hosts: host }];
    },
    holds: (example, book) => book.hosts(String(example)).length > 0,
  }),
  mcp: defineKind(object({ ...saying, ...examples, tool: texts }), {
    rules({ tool }, { saying: said, attempt }) {
      for (const each of tool.filter((given) => given !== '*')) attempt('tool', () => splitTool(each));
      return [{ ...said, kind: 'mcp', tools: tool }];
    },
    holds: (example, book) => book.mcp(...splitTool(String(example))).length > 0,
  }),
  typed: defineKind(object({ ...saying, ...examples, text: texts, program: optional(argv) }), {
    rules({ text: lines, program }, { saying: said, places, attempt }) {
      for (const each of lines) attempt('text', () => checkLine(each));
      const words = program && attempt('program', () => writtenWords(program, places));
      return [{ ...said, kind: 'typed', text: lines, ...(words && { program: words }) }];
    },
    holds(example, book, { table: { program }, places }) {
      const words = program && writtenWords(program, places).map(([first = '']) => first);
      return book.typed(String(example), words && { every: [words], sole: words }).length > 0;
    },
  }),
};

/** What every table has. */
type Common = {
  readonly decision: Rule['decision'];
  readonly justification?: string | undefined;
  readonly match?: readonly Example[] | undefined;
  readonly not_match?: readonly Example[] | undefined;
};

type Own<T> = {
  rules(table: T, reader: TableReader): readonly Rule[];
  holds(example: Example, book: RuleBook, read: { readonly table: T; readonly places: Places }): boolean;
};

function defineKind<S extends z.ZodMiniObject>(schema: S, own: Own<z.infer<S> & Common>): RuleKind {
  return {
    keys: Object.keys(schema.shape),
    read(raw) {
      const parsed = safeParse(schema, raw);
      if (!parsed.success) return { issues: parsed.error.issues };
      const table = parsed.data as z.infer<S> & Common;
      const { decision, justification, match = [], not_match: notMatch = [] } = table;
      return {
        table: {
          decision,
          justification,
          match,
          notMatch,
          rules: (reader) => own.rules(table, reader),
          holds: (example, book, places) => own.holds(example, book, { table, places }),
        },
      };
    },
  };
}

function commandRule(table: z.infer<typeof commandTable>, { saying: said, places, attempt }: TableReader): CommandRule {
  const { exact = false, cwd: written, unconfined = false, decision } = table;
  // What is saved for a command that was really run is taken as it is.
  const folder = exact ? writtenPath : writtenFolder;
  const words = attempt('pattern', () => (exact ? exactWords(table.pattern) : writtenWords(table.pattern, places)));
  attempt('unconfined', () => {
    if (unconfined && decision !== 'allow') throw new WrongRule('`unconfined` goes with decision = "allow" only');
  });
  const cwd = written === undefined ? undefined : attempt('cwd', () => folder(written, places));
  return {
    ...said,
    kind: 'command',
    pattern: words ?? table.pattern,
    exact,
    ...(cwd !== undefined && { cwd }),
    unconfined,
  };
}

function pathRules(table: z.infer<typeof pathTable>, { saying: said, places, attempt }: TableReader): readonly Rule[] {
  attempt('', () => {
    if (table.read || table.write) return;
    throw new WrongRule('neither `read` nor `write` is given; list the paths of at least one');
  });
  return (['read', 'write'] as const).flatMap((access) => {
    const written = table[access] ?? [];
    const patterns = written.flatMap((each) => attempt(access, () => writtenPattern(each, places)) ?? []);
    return patterns.length === 0 ? [] : [{ ...said, kind: 'path' as const, access, patterns }];
  });
}

/** A rule that restricts holds for every command in a line, however it is run; one that allows for the line itself. */
function commandsOf(example: Example, decision: Rule['decision']): readonly (readonly Word[])[] {
  if (decision === 'allow') return [plainCommand(example)];
  const surroundings = { cwd: '/', home: '/' };
  const segments =
    typeof example === 'string'
      ? segmentsOf(readText(example, surroundings))
      : everySegment(readArgv(example, surroundings));
  if (segments.length === 0) throw new WrongRule(`\`${String(example)}\` holds no command`);
  return segments.flatMap(({ words }) => [words, withoutGlobalOptions(words)]);
}

function plainCommand(example: Example): readonly string[] {
  if (typeof example !== 'string') return example;
  const [words, ...others] = readPlainScript(example) ?? [];
  if (words && others.length === 0) return words;
  throw new WrongRule(`\`${example}\` is not one plain command; write it as a list of words`);
}

function checkHost(host: string): void {
  if (host === '*') return;
  const name = host.replace(/^\*\./, '');
  const why = faultOfHost(name) ?? (name !== host && isAddress(name) ? 'an address has nothing below it' : undefined);
  if (why !== undefined) throw new WrongRule(`\`${host}\` is no host; ${why}`);
}

const SOME_HOST = 'write a name such as `example.com` or `*.example.com`, without a port';

function faultOfHost(name: string): string | undefined {
  if (/^[^\s,]+(?:,\s*[^\s,]+)+$/.test(name)) return `write a list of hosts: ${JSON.stringify(name.split(/,\s*/))}`;
  if (/[\s/\\?#@%*,]|^\.?$/.test(name)) return SOME_HOST;
  if (name.includes(':')) return isAddress(name) ? undefined : SOME_HOST;
  if (name.startsWith('.')) return `write \`*${name}\` for all below it, or \`${name.slice(1)}\``;
  if (name.includes('..')) return 'two dots have no name between them';
  if (URL.canParse(`http://${name}/`)) return undefined;
  return /\d$/.test(name) ? 'its numbers are no address' : SOME_HOST;
}

function isAddress(name: string): boolean {
  return isIP(hostName(name)) !== 0;
}

/** Only one line is typed at a time. */
function checkLine(text: string): void {
  if (!/[\r\n]/.test(text)) return;
  throw new WrongRule(`\`${text}\` has several lines; they are typed one by one, so list them as texts of their own`);
}

function splitTool(text: string): [server: string, tool: string] {
  const slash = text.indexOf('/');
  if (slash > 0 && slash < text.length - 1) return [text.slice(0, slash), text.slice(slash + 1)];
  throw new WrongRule(`\`${text}\` must be written as server/tool, for example \`github/*\``);
}
