/** What the rules say to a file, whether a tool of ours would open it or a command names it. */
import path from 'node:path';

import { absolutePath } from '../core/paths.js';
import { filesOf } from '../programs/command-files.js';
import { DISK } from '../programs/dangerous-command-table.js';
import type { Access } from '../rules/rule-book.js';
import { isExact, sureText } from '../shell/reading.js';
import type { FileUse, Segment, UnknownWord, Word } from '../shell/reading.js';
import { holdsPaths } from './context.js';
import type { JudgeContext, Part } from './context.js';
import { judgeHost, unknownHost } from './judge-host.js';
import { perhapsSaidBy, restricts, saidBy, strictest } from './rule-words.js';

/** A file that the call itself says it will touch. Reading is free unless a rule restricts it. */
export function judgePath(access: Access, file: string, context: JudgeContext): Part {
  const about = { kind: access, subject: path.resolve(file) } as const;
  if (access === 'read' && !context.rules.namesPaths) return { ...about, decision: 'safe' };
  const spellings = spellingsOf(file, context);
  const said = spellings.map((spelling) => context.rules.paths(access, spelling));
  const restricting = strictest(said.flat().filter(restricts));
  if (restricting) return { ...about, ...saidBy(restricting) };
  const [allowing] = said.flat();
  // A link must not carry an allowance somewhere else.
  if (allowing && said.every((rules) => rules.length > 0)) return { ...about, ...saidBy(allowing) };
  if (access === 'read') return { ...about, decision: 'safe' };
  const proposals = spellings.map((spelling) => ({ kind: access, path: absolutePath(spelling) }));
  return { ...about, decision: 'neutral', proposals };
}

/** A file that a redirection opens. */
export function judgeRedirection({ access, target, paths }: FileUse, context: JudgeContext): readonly Part[] {
  const subject = isExact(target) ? target : target.source;
  const [, host] = /^\/dev\/(?:tcp|udp)\/([^/]*)\//.exec(sureText(target)) ?? [];
  if (host !== undefined) return [judgeHost(host, context)];
  if (!isExact(target) && mayBeSocket(target)) return [unknownHost(subject, context)];
  if (access === 'write' && isExact(target)) {
    if (NOTHING_KEPT.test(target)) return [{ kind: access, subject, decision: 'safe' }];
    if (DISK.test(path.normalize(target))) return [{ kind: access, subject, decision: 'ask', ...OVERWRITES }];
  }
  const [first, ...others] = paths ?? [];
  if (first !== undefined && others.length === 0) return [judgePath(access, first, context)];
  const restrictions = touches({ access, target, paths, folders: undefined, whole: false, certain: true }, context);
  if (restrictions.length > 0) return restrictions;
  return [{ kind: access, subject, decision: access === 'read' ? 'safe' : 'neutral' }];
}

/** bash speaks to the network when told to open one of these. */
function mayBeSocket({ begins }: UnknownWord): boolean {
  return ['/dev/tcp/', '/dev/udp/'].some((device) => device.startsWith(begins) || begins.startsWith(device));
}

/** Devices that forget what is written to them, or show it. `/dev/fd/0` is none: it opens a file anew, for writing. */
const NOTHING_KEPT = /^\/dev\/(?:null|stdout|stderr|tty)$/;
const OVERWRITES = { reason: 'it overwrites a device', rule: { name: 'dangerous-command' } };

/** What rules say against the files that the words of a command name. Rules that allow say nothing here. */
export function judgeOperands({ words, folders }: Segment, context: JudgeContext): readonly Part[] {
  if (!context.rules.restrictsPaths) return [];
  return filesOf(words).flatMap(({ access, target, whole, certain }) => {
    const paths = isExact(target) ? pathsFor(target, folders, context) : undefined;
    const accesses: readonly Access[] = certain ? [access] : ['read', 'write'];
    return accesses.flatMap((each) => touches({ access: each, target, paths, folders, whole, certain }, context));
  });
}

function pathsFor(
  target: string,
  folders: readonly string[] | undefined,
  { home }: JudgeContext,
): readonly string[] | undefined {
  if (isElusive(target)) return undefined;
  if (path.isAbsolute(target)) return [target];
  // Programs that get a tilde unexpanded rarely expand it themselves, but some do.
  if (target.startsWith('~/')) return [path.join(home, target.slice(2))];
  return folders?.map((folder) => `${folder}/${target}`);
}

type Touch = {
  readonly access: Access;
  readonly target: Word;
  readonly paths: readonly string[] | undefined;
  readonly folders: readonly string[] | undefined;
  /** Whether it walks all of a folder. */
  readonly whole: boolean;
  /** Whether the program surely opens what is named there. */
  readonly certain: boolean;
};

function touches(touch: Touch, context: JudgeContext): readonly Part[] {
  const { access, paths, whole } = touch;
  const { rules } = context;
  if (!rules.restrictsPaths) return [];
  if (paths === undefined) return mayTouch(touch, context);
  return paths.flatMap((file) => {
    const spellings = spellingsOf(file, context);
    const below = whole ? spellings.flatMap((spelling) => rules.pathsBelow(access, spelling)) : [];
    const over = spellings.flatMap((spelling) => rules.paths(access, spelling));
    const rule = strictest([...over, ...below].filter(restricts));
    return rule ? [{ kind: access, subject: path.resolve(file), ...saidBy(rule) }] : [];
  });
}

/** A file of which no more than the beginning is known may be a restricted one. */
function mayTouch({ access, target, folders, certain }: Touch, context: JudgeContext): readonly Part[] {
  const begins = sureText(target);
  const about = { kind: access, subject: isExact(target) ? target : target.source } as const;
  const places = placesOf(begins, folders);
  // Whatever it becomes lies in this folder.
  const within = (places ?? []).flatMap((place) => context.rules.paths(access, path.resolve(`${place}…`, '..')));
  const sure = strictest(within.filter(restricts));
  if (sure) return [{ ...about, ...saidBy(sure) }];
  // The sandbox holds to the rules; without one, somebody has to look.
  if (holdsPaths(context)) return [];
  const [rule] = (places ?? (certain ? [''] : [])).flatMap((place) => context.rules.pathsBeginning(access, place));
  return rule ? [{ ...about, ...perhapsSaidBy(rule) }] : [];
}

function placesOf(begins: string, folders: readonly string[] | undefined): readonly string[] | undefined {
  if (isElusive(begins)) return undefined;
  if (path.isAbsolute(begins)) return [begins];
  return begins === '' ? undefined : folders?.map((folder) => `${folder}/${begins}`);
}

/** Whether what it leads to depends on who looks: `/proc/self/cwd` is another folder for each program. */
function isElusive(file: string): boolean {
  return /^\/(?:proc|dev\/fd)\//.test(path.normalize(file));
}

/** A path as it is written, and where it really leads if that is somewhere else. */
function spellingsOf(file: string, { realPath }: JudgeContext): readonly string[] {
  const written = path.resolve(file);
  const real = realPath(file);
  return real === written ? [written] : [written, real];
}
