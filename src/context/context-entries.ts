/**
 * What the model is told beside the user's words, as entries that are only ever added. The first time all of it; later
 * what has changed since it was told. Nothing said is rewritten, so the start of each request stays the same bytes.
 */
import type { InputEntry } from '../core/model.js';
import type { EnvironmentContext } from './environment.js';
import { environmentText } from './environment.js';
import type { PermissionsContext } from './permissions.js';
import { permissionsText } from './permissions.js';

/** Plain data: it can be kept with a conversation, and compared when that goes on. */
export type ContextSnapshot = {
  readonly permissions: PermissionsContext;
  readonly environment: EnvironmentContext;
  /** As `readProjectDocs` gives it. */
  readonly projectDocs?: string;
  /** The user's own instructions for every conversation. */
  readonly developer?: string;
};

/** `told` is the snapshot that the entries before were made of. Nothing comes back when it says the same. */
export function contextEntries(now: ContextSnapshot, told?: ContextSnapshot): readonly InputEntry[] {
  return [
    ...entry('developer', permissionsNews(now, told)),
    ...entry('developer', textNews(now.developer, told?.developer, DEVELOPER_NOTES)),
    ...entry('user', textNews(now.projectDocs, told?.projectDocs, DOCS_NOTES)),
    ...entry('user', environmentText(now.environment, told?.environment)),
  ];
}

/** One that was kept. Undefined for what nothing can be compared with, as it was edited: all of it is told again then. */
export function keptSnapshot(value: object | undefined): ContextSnapshot | undefined {
  const snapshot = value as ContextSnapshot | undefined;
  try {
    if (snapshot) contextEntries(snapshot);
    return snapshot;
  } catch {
    return undefined;
  }
}

function entry(role: InputEntry['role'], text: string | undefined): readonly InputEntry[] {
  return text === undefined ? [] : [{ kind: 'input', role, content: [{ kind: 'text', text }] }];
}

function permissionsNews(now: ContextSnapshot, told: ContextSnapshot | undefined): string | undefined {
  const text = permissionsText(now.permissions);
  return told !== undefined && permissionsText(told.permissions) === text ? undefined : text;
}

type Notes = { readonly replaced: string; readonly gone: string };

const DEVELOPER_NOTES: Notes = {
  replaced: 'These take the place of the instructions of this kind that were given before.',
  gone: 'The general instructions that were given before no longer hold.',
};

const DOCS_NOTES: Notes = {
  replaced: 'These take the place of the AGENTS.md instructions that were given before.',
  gone: '# AGENTS.md instructions\n\nThe AGENTS.md instructions that were given before no longer hold.',
};

/** An empty text is none. */
function textNews(now: string | undefined, told: string | undefined, { replaced, gone }: Notes): string | undefined {
  if ((now ?? '') === (told ?? '')) return undefined;
  if (!now) return gone;
  return told ? `${now}\n\n${replaced}` : now;
}
