/** `tenon undo`: what calls did to files, shown, taken back, or made again. */
import { realpathSync } from 'node:fs';
import path from 'node:path';

import { defaultHome, openChangeHistory } from '../../index.js';
import type { ChangeChoice, ChangedFile, ChangeHistory, RecordedChange, UndoResult } from '../../index.js';
import { EXIT } from '../exit-codes.js';
import { note, say } from '../say.js';
import { UsageError } from '../usage-error.js';
import { visible } from '../visible.js';
import { workspaceFolder } from '../workspace-folder.js';

export type UndoFlags = {
  readonly turn?: boolean;
  readonly list?: boolean;
  readonly redo?: boolean;
  readonly diff?: boolean;
  readonly json?: boolean;
  readonly cd?: string;
};

export async function undoChanges(call: string | undefined, flags: UndoFlags): Promise<number> {
  mustFit(call, flags);
  const cwd = realpathSync(workspaceFolder(flags.cd));
  const history = openChangeHistory({ cwd, home: defaultHome() });
  if (flags.list) return showList(await history.list(), { cwd, json: flags.json });
  if (flags.redo) return showResult(await history.redo(), { cwd, json: flags.json }, 'Made again');
  const choice = await choiceOf(history, call, flags);
  if (flags.diff) return showDiff(history, choice, flags);
  return showResult(await history.undo(choice), { cwd, json: flags.json }, 'Undone');
}

function mustFit(call: string | undefined, { list, redo, diff, turn }: UndoFlags): void {
  if ([list, redo, diff].filter(Boolean).length > 1)
    throw new UsageError('--list, --redo and --diff exclude each other');
  if (call !== undefined && (list || redo)) throw new UsageError(`${list ? '--list' : '--redo'} takes no call`);
  if (turn && (list || redo)) throw new UsageError(`--turn does not go with ${list ? '--list' : '--redo'}`);
}

/** The turn of a call, or the latest that has something to undo. */
async function choiceOf(history: ChangeHistory, call: string | undefined, { turn }: UndoFlags): Promise<ChangeChoice> {
  if (!turn) return call === undefined ? {} : { call };
  const changes = (await history.list()).filter(({ undoes }) => undoes === undefined);
  const isMeant = ({ id, callId, undoneBy, files }: RecordedChange): boolean =>
    call === undefined ? undoneBy === undefined && files.length > 0 : id === call || callId === call;
  const found = changes.find(isMeant);
  if (found !== undefined) return { turn: found.turn };
  return call === undefined ? {} : { call };
}

type Showing = { readonly cwd: string; readonly json: boolean | undefined };

function showList(changes: readonly RecordedChange[], { cwd, json }: Showing): number {
  if (json) for (const change of changes) process.stdout.write(`${JSON.stringify(change)}\n`);
  else if (changes.length === 0) say('No changes are on record for this workspace.');
  else for (const change of changes) showChange(change, cwd);
  return EXIT.success;
}

function showChange({ id, callId, at, title, files, undoneBy, uncovered }: RecordedChange, cwd: string): void {
  say(`${id}  ${at}  ${oneTitle(title)} (${callId})${undoneBy === undefined ? '' : ', undone'}`);
  for (const file of files) say(`  ${file.change.padEnd(12)}  ${relative(cwd, file)}`);
  if (uncovered !== undefined) say(`  not covered: ${uncovered}`);
}

async function showDiff(history: ChangeHistory, choice: ChangeChoice, { json }: UndoFlags): Promise<number> {
  const diff = await history.diff(choice);
  if (json) process.stdout.write(`${JSON.stringify(diff)}\n`);
  // A program that reads it needs every byte; a terminal must not obey any of them.
  else process.stdout.write(process.stdout.isTTY ? visible(diff.text) : diff.text);
  if (!json) for (const { path: name, reason } of diff.leftOut) note(`not shown: ${name}: ${reason}`);
  return EXIT.success;
}

function showResult(result: UndoResult, { cwd, json }: Showing, word: string): number {
  if (json) process.stdout.write(`${JSON.stringify(result)}\n`);
  else if (result.kind === 'undone') showUndone(result, cwd, word);
  else note(result.reason);
  return result.kind === 'undone' ? EXIT.success : EXIT.failed;
}

function showUndone(
  { entries, files, uncovered }: UndoResult & { readonly kind: 'undone' },
  cwd: string,
  word: string,
): void {
  for (const { title, callId } of entries) {
    say(`${word}: ${oneTitle(title.replace(/^undo: /, ''))} (${callId.replace(/^undo:/, '')})`);
  }
  for (const file of files) say(`  ${DONE[file.change].padEnd(13)}  ${relative(cwd, file)}`);
  if (files.length === 0) say('  There was nothing left to put back.');
  for (const reason of uncovered) say(`Not covered: ${reason}`);
}

/** What was done to put it right. */
const DONE: Readonly<Record<ChangedFile['change'], string>> = {
  added: 'put back',
  modified: 'changed back',
  deleted: 'removed',
  'mode-changed': 'mode set back',
};

const LONGEST_TITLE = 72;

/** A command may be a whole script. */
function oneTitle(title: string): string {
  const [line = ''] = title.split('\n', 1);
  if (line === title && line.length <= LONGEST_TITLE) return line;
  return `${line.slice(0, LONGEST_TITLE)}…`;
}

function relative(cwd: string, { path: name }: ChangedFile): string {
  const short = path.relative(cwd, name);
  return short.startsWith('..') ? name : short;
}
