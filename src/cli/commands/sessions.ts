/** `tenon sessions`: the sessions that were kept, listed, shown, exported and named. */
import { defaultHome, openSessions } from '../../index.js';
import type { SessionFilter, SessionLine, SessionStore } from '../../index.js';
import { createPaint } from '../exec/paint.js';
import { EXIT } from '../exit-codes.js';
import { openOutputFile } from '../output-file.js';
import { say } from '../say.js';
import { folderToLookFor } from '../sessions/choose-session.js';
import { describeSession } from '../sessions/describe-story.js';
import { readCount } from '../sessions/read-count.js';
import { sessionTable } from '../sessions/session-table.js';
import { sessionMarkdown } from '../sessions/story-markdown.js';
import { storyOf } from '../sessions/story.js';
import { readTime } from '../sessions/times.js';
import { visible } from '../visible.js';

export type ListFlags = {
  readonly cd?: string;
  readonly all?: boolean;
  readonly since?: string;
  readonly until?: string;
  readonly number: string;
  readonly json?: boolean;
};
export type ShowSessionFlags = { readonly json?: boolean };
export type ExportFlags = { readonly output?: string; readonly format: 'jsonl' | 'md' };

export async function listSessions(flags: ListFlags): Promise<number> {
  const filter = filterOf(flags);
  const sessions = await keptSessions().list(filter);
  if (flags.json) for (const each of sessions) print(JSON.stringify(each));
  else if (sessions.length > 0) show(sessionTable(sessions, { folders: flags.all ?? false }));
  else say(filter.cwd === undefined ? 'No session is kept.' : 'No session of this folder is kept; --all shows all.');
  return EXIT.success;
}

export async function showSession(named: string, { json }: ShowSessionFlags): Promise<number> {
  const store = keptSessions();
  const id = await store.find(named);
  const lines = await store.read(id);
  if (json) print(asJsonLines(lines));
  else show(describeSession(await store.summary(id), storyOf(lines), createPaint('auto', process.stdout)).join('\n'));
  return EXIT.success;
}

export async function exportSession(named: string, { output, format }: ExportFlags): Promise<number> {
  const write = output === undefined ? undefined : openOutputFile(output, '--output');
  const store = keptSessions();
  const id = await store.find(named);
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
