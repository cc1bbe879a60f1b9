/**
 * Which commands are known to only read, and to end by themselves or on an interrupt, whatever surrounds them.
 * A word that only the run will tell is taken for the worst that it may become.
 */
import { isExact, sureText } from '../shell/reading.js';
import type { UnknownWord, Word } from '../shell/reading.js';
import { isOption, mayBringOption, nameOf, namesOption, readOptions } from './command-options.js';
import { splitGlobalOptions } from './global-options.js';
import { programName } from './program-name.js';
import { SAFE_COMMANDS } from './safe-command-table.js';
import type { FirstRule, OnlyRule, SafeRule, WithoutRule } from './safe-command-table.js';

export function isSafeCommand(words: readonly Word[]): boolean {
  const rule = SAFE_COMMANDS.get(programName(words[0]) ?? '');
  return rule !== undefined && permits(rule, words);
}

/** Words begin with what the rule is for: the program or a sub-command. */
function permits(rule: SafeRule, words: readonly Word[]): boolean {
  if ('any' in rule) return true;
  if ('form' in rule) return rule.form(words);
  if ('first' in rule) return permitsFirst(rule, words);
  return 'only' in rule ? permitsOnly(rule, words.slice(1)) : permitsWithout(rule, words.slice(1));
}

function permitsFirst(rule: FirstRule, words: readonly Word[]): boolean {
  const globals = rule.globals ?? [];
  const { options, words: rest } = globals.length > 0 ? splitGlobalOptions(words) : { options: [], words };
  if (!options.every((option) => globals.includes(option.name))) return false;
  if (rule.never?.test(words.map(sureText).join(' '))) return false;
  const [, first] = rest;
  if (first === undefined) return rule.alone ?? false;
  const inner = typeof first === 'string' && Object.hasOwn(rule.first, first) ? rule.first[first] : undefined;
  return inner !== undefined && permits(inner, rest.slice(1));
}

function permitsWithout(rule: WithoutRule, words: readonly Word[]): boolean {
  const end = rule.throughout ? -1 : words.findIndex((word, at) => word === '--' && isComplete(words[at - 1], rule));
  const open = end < 0 ? words : words.slice(0, end);
  return open.every((word, at) => {
    if (isExact(word)) return !namesOption(word, rule.without, rule.takes);
    return isValue(word, open.slice(0, at), rule) || !mayBringOption(word);
  });
}

/** Whether a word is the value of an option that stands before it, and surely stands as an option there. */
function isValue(word: UnknownWord, before: readonly Word[], rule: WithoutRule): boolean {
  const option = before.at(-1);
  if (word.splits || typeof option !== 'string' || !rule.takes?.includes(option)) return false;
  return isComplete(before.at(-2), rule);
}

/** Whether what follows a word cannot be its value, nor that of the word before it because this one vanishes. */
function isComplete(word: Word | undefined, { flags = [], takes = [] }: WithoutRule): boolean {
  if (typeof word !== 'string') return !splits(word);
  if (!word.startsWith('-')) return true;
  if (word.startsWith('--') && word.includes('=')) return true;
  if (takes.includes(word)) return false;
  const isCluster = /^-\w+$/.test(word) && Array.from(word.slice(1)).every((letter) => flags.includes(`-${letter}`));
  return flags.includes(word) || isCluster;
}

function permitsOnly(rule: OnlyRule, words: readonly Word[]): boolean {
  const takes = rule.takes ?? [];
  const known = [...rule.only, ...takes];
  if (words.some((word) => isUnknownOption(word, known) || (rule.whole && isTogether(word, rule)))) return false;
  const { options, operands } = readOptions(words, { takes, entire: rule.only });
  const isOpen = (name: string, value?: Word): boolean =>
    splits(value) || (typeof value === 'object' && (rule.exact?.includes(name) ?? false));
  if (!options.every(({ name, value }) => known.includes(name) && !isOpen(name, value))) return false;
  const isMissing = operands.length > 0 && rule.needs && !options.some(({ name }) => rule.needs?.includes(name));
  return !isMissing && permitsOperands(operands, words, rule);
}

/** An option that only the run will tell, or one cut short. */
function isUnknownOption(word: Word, known: readonly string[]): boolean {
  if (typeof word !== 'string') return word.begins.startsWith('-');
  return word.startsWith('--') && isOption(word) && !known.includes(nameOf(word));
}

/** Anything but one option as it is listed, or one with a number. */
function isTogether(word: Word, { only, takes = [] }: OnlyRule): boolean {
  if (typeof word !== 'string' || !isOption(word)) return false;
  return ![...only, ...takes].includes(word) && !takes.includes(word.replace(/\d+$/, ''));
}

function splits(word: Word | undefined): boolean {
  return typeof word === 'object' && word.splits;
}

function permitsOperands(operands: readonly Word[], words: readonly Word[], { operands: rule }: OnlyRule): boolean {
  if (operands.some((word) => typeof word !== 'string' && mayBringOption(word))) return false;
  if (rule === 'any') return true;
  if (rule === 'none') return operands.length === 0;
  if (rule === 'last') return operands.length === 0 || (operands.length === 1 && isLast(operands[0], words));
  return operands.every((word) => (isExact(word) ? word : word.begins).startsWith(rule.beginning));
}

/** One file, and nothing behind it that may be taken for another. */
function isLast(operand: Word | undefined, words: readonly Word[]): boolean {
  return operand !== undefined && !splits(operand) && words.indexOf(operand) === words.length - 1;
}
