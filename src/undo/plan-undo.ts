/** From entries to the changes that take them back, or to the reasons why that would take somebody else's work along. */
import type { FileChange, Files, FileState } from '../core/files.js';
import type { AbsolutePath } from '../core/paths.js';
import { isSameContent, modeOf } from './entry.js';
import type { StoredFile } from './entry.js';
import { keepFullFolders } from './keep-full-folders.js';
import { standing } from './read-log.js';
import type { LoggedEntry } from './read-log.js';
import { findState, isAsLeft, restored } from './states.js';

export type UndoPlan =
  | { readonly kind: 'plan'; readonly changes: readonly FileChange[] }
  | { readonly kind: 'refused'; readonly reason: string; readonly paths: readonly AbsolutePath[] };

export type ToUndo = {
  readonly log: readonly LoggedEntry[];
  /** The newest first. */
  readonly entries: readonly LoggedEntry[];
};

export async function planUndo(files: Files, { log, entries }: ToUndo): Promise<UndoPlan> {
  const changes: FileChange[] = [];
  const problems: Problem[] = [];
  for (const step of await stepsOf(entries)) {
    const { path } = step.file;
    const found = await findState(files, path);
    const [later, target] = [laterChange(log, entries, path), targetOf(step)];
    if (later !== undefined) problems.push({ path, reason: changedAgain(later) });
    else if (step.isBroken) problems.push({ path, reason: 'was changed by somebody else between two of these calls' });
    else if (found.state === undefined) problems.push({ path, reason: 'cannot be read' });
    else if (!isAsLeft(step.file, found)) problems.push({ path, reason: 'is not as the call left it' });
    else if (target === undefined) problems.push({ path, reason: 'was not kept as it was before' });
    else changes.push({ path, before: found.state, after: target, puttingBack: true });
  }
  const { changes: possible, stuck } = await keepFullFolders(files, changes);
  problems.push(...stuck.map((path) => ({ path, reason: 'is a folder now, with something in it' })));
  return problems.length === 0 ? { kind: 'plan', changes: possible } : refusal(problems);
}

type Problem = { readonly path: AbsolutePath; readonly reason: string };

/** From what the newest entry left to what the oldest one had found. */
type Step = {
  readonly file: StoredFile;
  readonly content: Uint8Array | undefined;
  /** What one entry left is not what the next one found. */
  readonly isBroken: boolean;
};

async function stepsOf(entries: readonly LoggedEntry[]): Promise<readonly Step[]> {
  const steps = new Map<AbsolutePath, Step>();
  for (const entry of entries) {
    const whole = await entry.read();
    if (whole === undefined) continue;
    for (const file of whole.header.files) {
      const content = whole.contentOf(file.before);
      steps.set(file.path, joined(steps.get(file.path), { file, content, isBroken: false }));
    }
  }
  return [...steps.values()];
}

function joined(newer: Step | undefined, older: Step): Step {
  if (newer === undefined) return older;
  const { after } = older.file;
  const isBroken = newer.isBroken || after === undefined || !isSameContent(after, newer.file.before);
  return { file: { ...newer.file, before: older.file.before }, content: older.content, isBroken };
}

/** A mode that the change left alone is left alone again. */
function targetOf({ file: { before, after = before }, content }: Step): FileState | undefined {
  const state = restored(before, content);
  if (before.kind !== after.kind || modeOf(before) !== modeOf(after)) return state;
  if (state?.kind === 'file') return { kind: 'file', content: state.content };
  return state?.kind === 'folder' ? { kind: 'folder' } : state;
}

/** Another call that has changed it after the oldest of these, and whose change stands. */
function laterChange(
  log: readonly LoggedEntry[],
  entries: readonly LoggedEntry[],
  path: AbsolutePath,
): LoggedEntry | undefined {
  const touches = ({ header }: LoggedEntry): boolean => header.files.some((file) => file.path === path);
  const oldest = entries.findLast(touches);
  const newer = oldest === undefined ? [] : log.slice(0, log.indexOf(oldest));
  return standing(newer).find((entry) => !entries.includes(entry) && touches(entry));
}

function changedAgain({ header: { title, callId } }: LoggedEntry): string {
  return `was changed again by ${title} (call ${callId}); undo that first`;
}

function refusal(problems: readonly Problem[]): UndoPlan {
  const reasons = problems.map(({ path, reason }) => `${path} ${reason}`);
  return {
    kind: 'refused',
    reason: `nothing was put back: ${reasons.join('; ')}`,
    paths: problems.map(({ path }) => path),
  };
}
