/** `tenon sessions`: the sessions that were kept, listed, shown, exported and named. */
import { defaultHome, openSessions } from '../../index.js';
import type { SessionFilter, SessionLine, SessionStore } from '../../index.js';
import { createPaint } from '../exec/paint.js';
import { EXIT } from '../exit-codes.js';
import { openOutputFile } from '../output-file.js';
import { say } from '../say.js';
import { chooseSession, folderToLookFor } from '../sessions/choose-session.js';
import type { Choice } from '../sessions/choose-session.js';
import { describeSession } from '../sessions/describe-story.js';
import { readCount } from '../sessions/read-count.js';
import { sessionTable } from '../sessions/session-table.js';
import { sessionMarkdown } from '../sessions/story-markdown.js';
import { storyOf } from '../sessions/story.js';
import { readTime } from '../sessions/times.js';
import { UsageError } from '../usage-error.js';
import { visible } from '../visible.js';

export type ListFlags = {
  readonly cd?: string;
  readonly all?: boolean;
  readonly since?: string;
  readonly until?: string;
  readonly number: string;
  readonly json?: boolean;
};
type ChoiceFlags = Pick<Choice, 'last' | 'all' | 'cd'>;
export type ShowSessionFlags = ChoiceFlags & { readonly json?: boolean };
export type ExportFlags = ChoiceFlags & { readonly output?: string; readonly format: 'jsonl' | 'md' };

export async function listSessions(flags: ListFlags): Promise<number> {
  const filter = filterOf(flags);
  const sessions = await keptSessions().list(filter);
  if (flags.json) for (const each of sessions) print(JSON.stringify(each));
  else if (sessions.length > 0) show(sessionTable(sessions, { folders: flags.all ?? false }));
  else say(filter.cwd === undefined ? 'No session is kept.' : 'No session of this folder is kept; --all shows all.');
  return EXIT.success;
}

export async function showSession(named: string | undefined, flags: ShowSessionFlags): Promise<number> {
  const store = keptSessions();
  const id = await chosen(store, named, flags);
  const lines = await store.read(id);
  if (flags.json) print(asJsonLines(lines));
  else show(describeSession(await store.summary(id), storyOf(lines), createPaint('auto', process.stdout)).join('\n'));
  return EXIT.success;
}

export async function exportSession(named: string | undefined, flags: ExportFlags): Promise<number> {
  const { output, format } = flags;
  const write = output === undefined ? undefined : openOutputFile(output, '--output');
  const store = keptSessions();
  const id = await chosen(store, named, flags);
  const text = await exported(store, id, format);
  if (write) write(`${text}\n`);
  else print(text);
  return EXIT.success;
}

export async function nameSession(named: string, name: string): Promise<number> {
  const store = keptSessions();
  const id = await store.find(named);
  await store.rename(id, name);
  say(`${id} is now called ${name}`);
  return EXIT.success;
}

function chosen(store: SessionStore, named: string | undefined, flags: ChoiceFlags): Promise<string> {
  if (named !== undefined && flags.last)
    throw new UsageError('--last names the session already: leave one of them out');
  return chooseSession(store, { ...flags, ...(named !== undefined && { named }), asks: true });
}

function keptSessions(): SessionStore {
  return openSessions({ home: defaultHome() });
}

function filterOf(flags: ListFlags): SessionFilter {
  const cwd = folderToLookFor(flags);
  return {
    limit: readCount(flags.number, '--number'),
    ...(cwd !== undefined && { cwd }),
    ...(flags.since !== undefined && { since: readTime(flags.since, '--since') }),
    ...(flags.until !== undefined && { until: readTime(flags.until, '--until') }),
  };
}

async function exported(store: SessionStore, id: string, format: ExportFlags['format']): Promise<string> {
  const lines = await store.read(id);
  if (format === 'jsonl') return asJsonLines(lines);
  return sessionMarkdown(await store.summary(id), storyOf(lines)).trimEnd();
}

function asJsonLines(lines: readonly SessionLine[]): string {
  return lines.map((line) => JSON.stringify(line)).join('\n');
}

/** A program that reads it needs every byte; a terminal must not obey any of them. */
function print(text: string): void {
  show(process.stdout.isTTY ? visible(text) : text);
}

function show(text: string): void {
  process.stdout.write(`${text}\n`);
}
