/**
 * Command lines that do nothing but hand a text to one program: the program with the text as its only argument, or a shell
 * with `program <<TAG … TAG`, perhaps after `cd folder &&`. Whatever does more, or may do more, is not one of them.
 */
import { scriptOf } from './shells.js';

export type HandedText = {
  readonly text: string;
  /** Where the program would run, as it is written. */
  readonly folder?: string;
};

/** A script for a shell, or a program with its arguments. */
export type CommandLine = string | readonly string[];

/** `programs` are the names that the program goes by. */
export function handedText(line: CommandLine, programs: readonly string[]): HandedText | undefined {
  if (typeof line !== 'string') {
    const [program, text, ...more] = line;
    if (program !== undefined && programs.includes(program)) {
      return text !== undefined && more.length === 0 ? { text } : undefined;
    }
  }
  const script = scriptIn(line);
  return script === undefined ? undefined : handedByScript(script, programs);
}

/** What stands where a command should, if that is all: a script, or the only word. */
export function scriptIn(line: CommandLine): string | undefined {
  if (typeof line === 'string') return line;
  return line.length === 1 ? line[0] : scriptOf(line)?.script;
}

/** Words with anything in them that a shell would expand are left to it. */
const STATEMENT =
  /^\s*(?:cd[ \t]+(?:'([^'\n]*)'|"([^"$`\\\n]*)"|([^\s"'$`\\|&;<>(){}[\]*?~#!=-][^\s"'$`\\|&;<>(){}[\]*?~#!]*))[ \t]*&&[ \t]*)?(\S+)[ \t]*<<(-?)[ \t]*(?:'(\w+)'|"(\w+)"|(\w+))[ \t]*\n/;

function handedByScript(script: string, programs: readonly string[]): HandedText | undefined {
  const found = STATEMENT.exec(script);
  if (found === null) return undefined;
  const [statement, single, double, bare, program = '', dash, ...tags] = found;
  const tag = tags.find((each) => each !== undefined);
  if (!programs.includes(program) || tag === undefined) return undefined;
  const body = dash === '-' ? withoutTabs(script.slice(statement.length)) : script.slice(statement.length);
  const text = untilTag(body, tag);
  if (text === undefined) return undefined;
  const folder = single ?? double ?? bare;
  if (folder === undefined) return { text };
  // What begins with a dash is an option of `cd`.
  return /^(?:-|$)/.test(folder) ? undefined : { text, folder };
}

function withoutTabs(body: string): string {
  return body.replace(/^\t+/gm, '');
}

/** Only blanks may follow the first line that is the tag alone. */
function untilTag(body: string, tag: string): string | undefined {
  const lines = `\n${body}`;
  let end = lines.indexOf(`\n${tag}`);
  while (end !== -1 && !/^(?:\n|$)/.test(lines.slice(end + tag.length + 1, end + tag.length + 2))) {
    end = lines.indexOf(`\n${tag}`, end + 1);
  }
  if (end === -1) return undefined;
  return lines.slice(end + tag.length + 1).trim() === '' ? lines.slice(1, end + 1) : undefined;
}
