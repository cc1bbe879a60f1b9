/** Real commands on a real overlay, and stages whose upper folder is written by hand. */
import { chmodSync, chownSync, lstatSync, mkdirSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { TestContext } from 'vitest';

import { ConfigError } from '../../../src/core/errors.js';
import { absolutePath } from '../../../src/core/paths.js';
import type { AbsolutePath } from '../../../src/core/paths.js';
import type { Change } from '../../../src/core/staging.js';
import type { ReadXattrs } from '../../../src/sandbox/staging/overlay-marks.js';
import { createStage, dropStage } from '../../../src/sandbox/staging/stage.js';
import type { Stage } from '../../../src/sandbox/staging/stage.js';
import { tempFolder } from '../../support/temp-folder.js';
import type { User } from './users.js';

const NO_OVERLAY = 77;
const MOUNT = `mount -t overlay -o "userxattr,volatile,lowerdir=$1,upperdir=$2,workdir=$3" overlay "$1" || exit ${NO_OVERLAY}`;

type Scripts = { readonly before: string; readonly command: string; readonly base?: AbsolutePath };

/** Sets up a workspace with one script and runs another on a copy-on-write view of it. */
export async function stagedRun(context: TestContext, user: User, scripts: Scripts): Promise<Stage> {
  const stage = await freshStage(context, user, scripts);
  const script = `${MOUNT}; cd "$1"; ${scripts.command}`;
  const argv = ['unshare', '-Urm', 'sh', '-c', script, 'sh', stage.lower, stage.upper, stage.work];
  const { status, stderr } = user.spawn(argv, {});
  if (status === NO_OVERLAY || stderr.startsWith('unshare:'))
    context.skip(`no overlay in a user namespace here: ${stderr}`);
  if (status !== 0) throw new Error(`the command ended with ${status}: ${stderr}`);
  return stage;
}

/** A workspace and a stage whose upper folder nobody wrote to yet. */
export async function freshStage(
  context: TestContext,
  user: User,
  { before, base }: { readonly before: string; readonly base?: AbsolutePath },
): Promise<Stage> {
  const { workspace, place } = places(user);
  mustSucceed(user, before, workspace);
  try {
    const stage = await user.act(() => createStage(workspace, base ?? place));
    onTestFinished(() => user.act(() => dropStage(stage)));
    return stage;
  } catch (error) {
    if (error instanceof ConfigError) context.skip(error.message);
    throw error;
  }
}

/** A shell script of the user's, which must not fail. */
export function mustSucceed(user: User, script: string, cwd: string): string {
  const { status, stdout, stderr } = user.spawn(['sh', '-ec', `umask 022; ${script}`], { cwd });
  if (status !== 0) throw new Error(`the script ended with ${status}: ${stderr}`);
  return stdout.toString();
}

export function places(user: User): { readonly workspace: AbsolutePath; readonly place: AbsolutePath } {
  const top = tempFolder();
  chmodSync(top, 0o755);
  // What a test closed, even for itself, is opened again so that it can be removed.
  onTestFinished(() => void (process.getuid?.() !== 0 && user.spawn(['chmod', '-R', 'u+rwX', top], {})));
  const folders = ['workspace', 'place'].map((name) => path.join(top, name));
  for (const folder of folders) {
    mkdirSync(folder);
    if (user.id !== undefined) chownSync(folder, user.id, user.id);
  }
  const [workspace = '', place = ''] = folders;
  return { workspace: absolutePath(workspace), place: absolutePath(place) };
}

/** Asks perl, which can do any system call by its number. */
export function xattrsAs(user: User): ReadXattrs {
  return async (questions) => {
    const input = questions.map(({ path: file, name }) => `${file}\0${name}\0`).join('');
    const { status, stdout, stderr } = user.spawn(['perl', '-e', READ_XATTRS], { input });
    if (status !== 0) throw new Error(stderr);
    return stdout
      .toString()
      .split('\n')
      .slice(0, -1)
      .map((line) => (line === '-' ? undefined : Buffer.from(line.slice(1), 'hex').toString()));
  };
}

const LGETXATTR = process.arch === 'arm64' ? 9 : 192;
const ENODATA = 61;
const READ_XATTRS = `
  local $/; my @words = split(/\\0/, <STDIN>);
  while (my ($file, $name) = splice(@words, 0, 2)) {
    my $value = "\\0" x 4096;
    my $length = syscall(${LGETXATTR}, $file, $name, $value, 4096);
    if ($length >= 0) { print "=" . unpack("H*", substr($value, 0, $length)) . "\\n" }
    elsif ($! == ${ENODATA}) { print "-\\n" }
    else { die "$file: $!" }
  }`;

/** Marks as a test wants them, by path below the upper folder. */
export function marksOf(
  { upper }: Stage,
  marks: Readonly<Record<string, Readonly<Record<string, string>>>>,
): ReadXattrs {
  return async (questions) =>
    questions.map(
      ({ path: file, name }) => marks[path.relative(upper, file) || '.']?.[name.replace('user.overlay.', '')],
    );
}

/** A change as one line that does not depend on the machine. */
export function lineOf({ path: file, kind, entry, present, staged, problem }: Change): string {
  const from = present && present.entry !== entry ? ` was ${present.entry}` : '';
  const modes = [present, staged].map((facts) => facts?.mode.toString(8) ?? '-');
  const shown = kind === 'mode-changed' ? ` ${modes.join(' -> ')}` : '';
  return `${kind} ${entry} ${file}${from}${shown}${problem === undefined ? '' : ` (${problem})`}`;
}

/** Everything in a folder: kinds, modes and contents. */
export function treeOf(folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(namesIn(folder, '.').map((name) => [name, entryAt(`${folder}/${name}`)]));
}

function namesIn(top: string, name: string): readonly string[] {
  if (!lstatSync(`${top}/${name}`).isDirectory()) return [name];
  return [name, ...readdirSync(`${top}/${name}`).flatMap((child) => namesIn(top, `${name}/${child}`))];
}

function entryAt(file: string): string {
  const stats = lstatSync(file);
  if (stats.isSymbolicLink()) return `-> ${readlinkSync(file)}`;
  return `${stats.mode.toString(8)} ${stats.isFile() ? readFileSync(file, 'utf8') : ''}`;
}
