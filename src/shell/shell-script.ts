/** The script in the command line of a POSIX shell, however its options are written. */
import { isExact } from './reading.js';
import type { Word } from './reading.js';

export type GivenScript =
  | { readonly kind: 'script'; readonly script: string; readonly plainly: boolean }
  /** The script stands in a file. */
  | { readonly kind: 'file' }
  /** It comes on standard input. */
  | { readonly kind: 'input' }
  | { readonly kind: 'unknown' };

/** Letters that we know. With one dash, `-norc` and `-rcfile` are long options, and none is spelled in these alone. */
const KNOWN = /^(?:-[aefilmnsuvxcoO]+|\+[aefmuvx]+)$/;
/** Options that change nothing about which commands run. */
const HARMLESS = /^(?:-[eflsuvxco]*|\+[efuvx]+)$/;
const HARMLESS_LONG: ReadonlySet<string> = new Set(['--login', '--norc', '--noprofile', '--noediting']);
const HARMLESS_SETTINGS: ReadonlySet<Word> = new Set<Word>(['errexit', 'nounset', 'pipefail', 'xtrace', 'verbose']);
const TELLS_ONLY: ReadonlySet<string> = new Set(['--version', '--help']);

export function scriptIn(words: readonly Word[]): GivenScript {
  let [takesScript, takesInput, plainly] = [false, false, true];
  let at = 1;
  for (; at < words.length; at += 1) {
    const word = words[at];
    if (!isExact(word)) return { kind: 'unknown' };
    if (TELLS_ONLY.has(word)) return { kind: 'file' };
    if (word === '--' || word === '-') {
      at += 1;
      break;
    }
    if (!/^[-+]/.test(word)) break;
    if (HARMLESS_LONG.has(word)) continue;
    if (!KNOWN.test(word)) return { kind: 'unknown' };
    takesScript ||= word.startsWith('-') && word.includes('c');
    takesInput ||= word.startsWith('-') && word.includes('s');
    plainly &&= HARMLESS.test(word);
    // `-o pipefail`; each o takes a word.
    const settings = word.match(/[oO]/g)?.length ?? 0;
    plainly &&= words.slice(at + 1, at + 1 + settings).every((setting) => HARMLESS_SETTINGS.has(setting));
    at += settings;
  }
  const operand = words[at];
  if (takesScript) return scriptFrom(operand, plainly);
  if (operand === undefined || takesInput) return { kind: 'input' };
  if (!isExact(operand)) return { kind: operand.begins === '' || operand.splits ? 'unknown' : 'file' };
  return { kind: isInput(operand) ? 'input' : 'file' };
}

/** `/dev/stdin` is its input by another name. */
export function isInput(file: string): boolean {
  return /^\/+(?:dev|proc)\//.test(file);
}

function scriptFrom(operand: Word | undefined, plainly: boolean): GivenScript {
  if (!isExact(operand)) return { kind: 'unknown' };
  return { kind: 'script', script: operand, plainly };
}
