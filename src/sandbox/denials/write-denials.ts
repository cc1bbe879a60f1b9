/**
 * Tells from the output of a failed command which writes the sandbox stopped. Words are no proof: a path that the output
 * names is one only if the policy forbids writing there and we, unconfined, could have. All else is an ordinary failure.
 */
import path from 'node:path';

import type { AbsolutePath } from '../../core/paths.js';
import type { Denial } from '../../core/workspace.js';
import { isAboutWriting } from './about-writing.js';
import { errorMentions } from './error-mentions.js';
import type { Mention, WriteError } from './error-mentions.js';
import { folderOf, judgeWrite } from './judge-write.js';
import type { JudgedWorld } from './judge-write.js';
import type { NamedPath } from './named-path.js';
import { namedPaths } from './named-paths.js';

type WriteEvidence = {
  /** Both streams together; only the end is looked at. */
  readonly output: string;
  readonly cwd: AbsolutePath;
  readonly exitCode: number;
};

/** `error` is what the sandbox answers to a forbidden write. */
export type WriteWorld = JudgedWorld & { readonly error: WriteError };

/**
 * What is `counterfactual` names what would have to be granted: the file, or the folder in which it was to be made or
 * removed. What is `inferred` says that something was stopped but not where; its target is where the command began.
 */
export function writeDenials(evidence: WriteEvidence, world: WriteWorld): readonly Denial[] {
  if (evidence.exitCode === 0 || isNotExecutable(evidence, world)) return [];
  const findings = claimsIn(evidence, world).map((claim) => judge(claim, world));
  const targets = new Set(findings.flatMap((finding) => (finding.kind === 'stopped' ? [finding.target] : [])));
  if (targets.size > 0) return [...targets].slice(0, MOST_DENIALS).map((target) => denial(target, 'counterfactual'));
  const isInferred = findings.length > 0 && findings.every(({ kind }) => kind === 'unplaced');
  return isInferred && world.error === 'EROFS' ? [denial(evidence.cwd, 'inferred')] : [];
}

const MOST_DENIALS = 8;

/** Shells end so when they may not run something, and say it in the words that also mean a forbidden write. */
function isNotExecutable({ exitCode }: WriteEvidence, { error }: WriteWorld): boolean {
  return exitCode === 126 && error !== 'EROFS';
}

function denial(target: AbsolutePath, proof: Denial['proof']): Denial {
  return { kind: 'write', target, proof };
}

/** One path as the output names it, or that it names none. */
type Claim = { readonly named: NamedPath | undefined; readonly misread: boolean; readonly from: AbsolutePath };

function claimsIn({ output, cwd }: WriteEvidence, { error }: WriteWorld): readonly Claim[] {
  const claims = new Map<string, Claim>();
  for (const mention of errorMentions(output, error)) {
    if (claims.size >= MOST_CLAIMS) break;
    if (error !== 'EROFS' && !isAboutWriting(mention)) continue;
    for (const claim of claimsOf(mention, cwd)) claims.set(JSON.stringify(claim), claim);
  }
  return [...claims.values()];
}

/** Each costs a look at the disk. */
const MOST_CLAIMS = 256;

function claimsOf(mention: Mention, cwd: AbsolutePath): readonly Claim[] {
  const { misread, folder = '' } = mention;
  const from = path.resolve(cwd, folder) as AbsolutePath;
  const named = namedPaths(mention).filter(isPath);
  if (named.length > 0) return named.map((each) => ({ named: each, misread, from }));
  return !misread && endsInWords(mention) ? [{ named: undefined, misread, from }] : [];
}

function isPath({ path: text }: NamedPath): boolean {
  return text !== '' && text.length <= LONGEST_PATH && !/\p{Cc}/u.test(text);
}

const LONGEST_PATH = 4096;

/** As an error's text does, and a sentence about such errors rarely. The last form is Rust's. */
function endsInWords({ after }: Mention): boolean {
  return /^(?:[.)]?(?: \(os error \d+\))?[.)]?\s*|" \}\s*)$/.test(after);
}

type Finding =
  | { readonly kind: 'stopped'; readonly target: AbsolutePath }
  /** The words are about a place where the sandbox stops nothing, or not only the sandbox. */
  | { readonly kind: 'ordinary' }
  /** The words are not about any place that is known. */
  | { readonly kind: 'unplaced' };

function judge({ named, misread, from }: Claim, world: WriteWorld): Finding {
  if (named === undefined) return UNPLACED;
  const isRelative = !path.isAbsolute(named.path);
  // A script that has changed its folder means another file than the one we find.
  const elsewhere = isRelative && !misread ? UNPLACED : ORDINARY;
  const written = path.resolve(from, named.path) as AbsolutePath;
  if (isRelative && !world.exists(folderOf(written))) return elsewhere;
  const file = named.removed ? heldBy(world.realPath(folderOf(written)), written) : world.realPath(written);
  if (isDoubtful(named, file, world)) return ORDINARY;
  if (misread && (world.exists(file) || !world.exists(folderOf(file)))) return ORDINARY;
  const judgement = judgeWrite(file, named.removed, world);
  if (judgement.kind === 'writable') return elsewhere;
  return judgement.kind === 'everything' ? UNPLACED : judgement;
}

const ORDINARY = { kind: 'ordinary' } as const;
const UNPLACED = { kind: 'unplaced' } as const;

/** What is removed is the link, not what it leads to. */
function heldBy(folder: AbsolutePath, file: AbsolutePath): AbsolutePath {
  return path.join(folder, path.basename(file)) as AbsolutePath;
}

/** Where the words are common, a single word that is no file is no file's name. */
function isDoubtful({ bare }: NamedPath, file: AbsolutePath, world: WriteWorld): boolean {
  return bare && world.error !== 'EROFS' && !world.exists(file);
}
