/** Commands that are safe in certain forms only, where a list of options does not say it. */
import { isExact } from '../shell/reading.js';
import type { Word } from '../shell/reading.js';
import { mayBringOption } from './command-options.js';
import { anyProgramName } from './program-name.js';

const ADDRESS = String.raw`(?:\d+|\$|/[^/\\\n]+/)`;
const PRINTING = new RegExp(`^${ADDRESS}(?:,${ADDRESS})?[p=q](?:;${ADDRESS}(?:,${ADDRESS})?[p=q])*$`);
const QUIET = new Set(['-n', '-nE', '-En', '-nr', '-rn', '--quiet', '--silent']);

/** `sed -n 1,5p file…`: other scripts may write files and run commands. */
export function printsLines(words: readonly Word[]): boolean {
  const [, quiet, script, ...files] = words;
  if (typeof quiet !== 'string' || !QUIET.has(quiet)) return false;
  if (typeof script !== 'string' || !PRINTING.test(script)) return false;
  if (files[0] === '--') return true;
  return files.every((file) => (typeof file === 'string' ? !file.startsWith('-') : !mayBringOption(file)));
}

const UNARY = /^-[abcdefghknoprstuwxzGLNOS]$/;
const TEXT_OPERATOR = /^(?:=|==|!=|<|>|-nt|-ot|-ef)$/;
const NUMBER_OPERATOR = /^-(?:eq|ne|lt|le|gt|ge)$/;
const NUMBER = /^[-+]?\d+$/;

/** `test` and `[`: names of variables (`-v`, `-R`) and, in some shells, numbers run what stands in a subscript. */
export function testsPlainly(words: readonly Word[]): boolean {
  const inside = anyProgramName(words[0]) === '[' ? closed(words) : words.slice(1);
  if (inside === undefined || inside.includes('-v') || inside.includes('-R')) return false;
  const exact = inside.filter((word) => isExact(word));
  if (exact.length === inside.length) return isPlainTest(exact);
  const [first, second, ...more] = inside[0] === '!' ? inside.slice(1) : inside;
  if (inside.some((word) => typeof word !== 'string' && word.splits)) return false;
  if (second === undefined) return true;
  if (more.length === 0) return typeof first === 'string' && UNARY.test(first);
  return more.length === 1 && typeof second === 'string' && TEXT_OPERATOR.test(second);
}

function closed(words: readonly Word[]): readonly Word[] | undefined {
  return words.length > 1 && words.at(-1) === ']' ? words.slice(1, -1) : undefined;
}

function isPlainTest(words: readonly string[]): boolean {
  return words.every(
    (word, index) =>
      !NUMBER_OPERATOR.test(word) || (NUMBER.test(words[index - 1] ?? '') && NUMBER.test(words[index + 1] ?? '')),
  );
}

const DIRECTIVE = /%(?:%|[-+ #0']*\d*(?:\.\d*)?([a-zA-Z])|\([^)]*\)(T))/g;

/** `printf` sets a variable with `-v` and `%n`, and some shells calculate what stands for a number. */
export function printsPlainly(words: readonly Word[]): boolean {
  const [, format, ...values] = words[1] === '--' ? words.slice(1) : words;
  if (typeof format !== 'string' || format.startsWith('-')) return false;
  if (format.replaceAll(DIRECTIVE, '').includes('%')) return false;
  const kinds = [...format.matchAll(DIRECTIVE)].flatMap((match) => match[1] ?? match[2] ?? []);
  if (kinds.every((kind) => 'sbcqQ'.includes(kind))) return true;
  if (values.some((value) => typeof value !== 'string' && value.splits)) return false;
  return kinds.every((kind) => 'sbcqQdiouxXeEfFgGT'.includes(kind)) && values.every(suits);

  function suits(value: Word, index: number): boolean {
    if ('sbcqQ'.includes(kinds[index % kinds.length] ?? '')) return true;
    return typeof value === 'string' && /^[-+]?\d+(?:\.\d+)?$/.test(value);
  }
}

const STRICTNESS =
  /^(?:[-+][eu]+|[-+][eu]*o (?:pipefail|errexit|nounset))(?: (?:[-+][eu]+|[-+][eu]*o (?:pipefail|errexit|nounset)))*$/;

/** `set -euo pipefail`: a script that gives up earlier does not do more. */
export function setsStrictness(words: readonly Word[]): boolean {
  return words.every((word) => isExact(word)) && STRICTNESS.test(words.slice(1).join(' '));
}

/** `exit 1`, `exit $?`: some shells calculate what stands for the number. */
export function endsPlainly(words: readonly Word[]): boolean {
  const [, status, ...more] = words;
  if (status === undefined) return true;
  if (more.length > 0) return false;
  return typeof status === 'string' ? NUMBER.test(status) : /^"?\$\?"?$/.test(status.source);
}
