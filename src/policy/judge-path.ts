/** What the rules say to a file, whether a tool of ours would open it or a command names it. */
import path from 'node:path';

import type { AbsolutePath } from '../core/paths.js';
import { isExact } from '../shell/reading.js';
import type { FileUse, Segment, Word } from '../shell/reading.js';
import { filesOf } from '../programs/command-files.js';
import type { JudgeContext, Part } from './context.js';
import { judgeHost } from './judge-host.js';
import type { Access } from '../rules/rule-book.js';
import { decisionOf, named, reasonOf, strictest } from './rule-words.js';
import type { PathRule } from '../rules/rules.js';

/** A file that the call itself says it will touch. Reading is free unless a rule restricts it. */
export function judgePath(access: Access, file: string, context: JudgeContext): Part {
  const said = rulesOver(access, file, context);
  const restricting = strictest(said.some((rules) => rules.length > 0) ? said.flat().filter(restricts) : []);
  if (restricting) return ruled(access, file, restricting);
  const allowing = said.map((rules) => strictest(rules));
  const [first] = allowing;
  // A link must not carry an allowance somewhere else.
  if (first && allowing.every((rule) => rule !== undefined)) return ruled(access, file, first);
  if (access === 'read') return { kind: 'read', subject: file, decision: 'safe' };
  return { kind: 'write', subject: file, decision: 'neutral', proposal: { kind: access, path: file as AbsolutePath } };
}

/** A file that a redirection opens. */
export function judgeRedirection(use: FileUse, context: JudgeContext): readonly Part[] {
  const { access, target, paths } = use;
  const subject = isExact(target) ? target : target.source;
  const [, host] = /^\/dev\/(?:tcp|udp)\/([^/]+)\//.exec(subject) ?? [];
  if (host !== undefined) return [judgeHost(host, context)];
  if (access === 'write' && isExact(target) && NOTHING_KEPT.test(target))
    return [{ kind: access, subject, decision: 'safe' }];
  const [first, ...others] = paths ?? [];
  if (first !== undefined && others.length === 0) return [judgePath(access, path.resolve(first), context)];
  const restrictions = touches({ access, target, paths, whole: false }, context);
  if (restrictions.length > 0) return restrictions;
  return [{ kind: access, subject, decision: access === 'read' ? 'safe' : 'neutral' }];
}

/** Devices that forget what is written to them, or show it. */
const NOTHING_KEPT = /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)$/;

/** What rules say against the files that the words of a command name. Rules that allow say nothing here. */
export function judgeOperands({ words, folders }: Segment, context: JudgeContext): readonly Part[] {
  if (!context.rules.restrictsPaths) return [];
  return filesOf(words).flatMap(({ access, target, whole, certain }) => {
    const paths = isExact(target) ? pathsFor(target, folders, context) : undefined;
    const accesses: readonly Access[] = certain ? [access] : ['read', 'write'];
    return accesses.flatMap((each) => touches({ access: each, target, paths, whole, folders }, context));
  });
}

function pathsFor(
  target: string,
  folders: readonly string[] | undefined,
  { home }: JudgeContext,
): readonly string[] | undefined {
  if (path.isAbsolute(target)) return [target];
  // Programs that get a tilde unexpanded rarely expand it themselves, but some do.
  if (target.startsWith('~/')) return [path.join(home, target.slice(2))];
  return folders?.map((folder) => `${folder}/${target}`);
}

type Touch = Omit<FileUse, 'paths'> & {
  readonly paths: readonly string[] | undefined;
  readonly whole: boolean;
  readonly folders?: readonly string[] | undefined;
};

function touches({ access, target, paths, whole, folders }: Touch, context: JudgeContext): readonly Part[] {
  const { rules } = context;
  if (!rules.restrictsPaths) return [];
  if (paths === undefined) return mayTouch(access, target, folders, context);
  return paths.flatMap((file) => {
    const below = whole ? rules.pathsBelow(access, context.realPath(file)) : [];
    const rule = strictest([...rulesOver(access, file, context).flat(), ...below].filter(restricts));
    return rule ? [ruled(access, path.resolve(file), rule)] : [];
  });
}

/** A file of which no more than the beginning is known may be a restricted one. */
function mayTouch(
  access: Access,
  target: Word,
  folders: readonly string[] | undefined,
  { rules }: JudgeContext,
): readonly Part[] {
  const begins = isExact(target) ? target : target.begins;
  if (begins === '') return [];
  const places = path.isAbsolute(begins) ? [begins] : (folders ?? []).map((folder) => `${folder}/${begins}`);
  const [rule] = places.flatMap((beginning) => rules.pathsBeginning(access, beginning));
  if (rule === undefined) return [];
  const subject = isExact(target) ? target : target.source;
  const reason = `it cannot be told whether a rule holds: ${reasonOf(rule)}`;
  return [{ kind: access, subject, decision: 'ask', prompted: true, reason, rule: named(rule) }];
}

/** The rules for a path as it is written, and for where it really leads. */
function rulesOver(access: Access, file: string, { rules, realPath }: JudgeContext): readonly (readonly PathRule[])[] {
  const written = path.resolve(file);
  if (rules.isEmpty) return [[]];
  const real = realPath(file);
  const over = rules.paths(access, written);
  return real === written ? [over] : [over, rules.paths(access, real)];
}

function restricts({ decision }: PathRule): boolean {
  return decision !== 'allow';
}

function ruled(access: Access, subject: string, rule: PathRule): Part {
  const decision = decisionOf(rule);
  return {
    kind: access,
    subject,
    decision,
    reason: reasonOf(rule),
    rule: named(rule),
    ...(decision === 'ask' && { prompted: true }),
  };
}
