/** One confined command from start to end: compared before and after, and told what it was kept from. */
import fs from 'node:fs';
import path from 'node:path';

import { Rejected, messageOf } from '../core/errors.js';
import { isInside } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';
import type { Command, Denial, Process, ProcessExit, SandboxReport } from '../core/workspace.js';
import type { Backend, ConfinedProcess, ConfinedStart, Settled } from './backend.js';
import { connectDenials } from './denials/connect-denials.js';
import { pathDenials } from './denials/path-denials.js';
import { writeDenials } from './denials/write-denials.js';
import { createGuard } from './guard/guard.js';
import type { Guard, Note } from './guard/guard.js';
import type { Reverted } from './guard/restore.js';
import { createOutputTail } from './output-tail.js';
import type { Place, ResolvedPolicy } from './policy.js';
import { changedPlaces } from './resolve/same-place.js';
import { hostList } from './network/host-list.js';

export type ConfinedSpawn = {
  readonly backend: Backend;
  readonly start: ConfinedStart;
  readonly report: (what: SandboxReport) => void;
  /** Called when the command may have changed what was found on the disk. */
  readonly changed: () => void;
  /** After so long it is ended. */
  readonly wallSeconds: number | undefined;
  /** Whether what was stopped is also told at the end of the output. */
  readonly notes: boolean;
  /** Folders that we write to ourselves meanwhile. */
  readonly ownFolders: readonly AbsolutePath[];
  readonly meanwhile: Meanwhile;
};

/** What others were allowed while a command runs. */
export type Meanwhile = {
  /** Whether one of them ran unconfined: nobody can tell any more who has changed what. */
  released(): boolean;
  /** Whether one of them was given the right to write this. */
  given(file: AbsolutePath): boolean;
};

export async function spawnConfined(spawn: ConfinedSpawn): Promise<Process> {
  const { backend, start, report, changed, wallSeconds } = spawn;
  const { command, policy } = start;
  const swapped = changedPlaces(policy);
  if (swapped.length > 0) throw new Rejected('policy', `${swapped[0]?.path} was replaced by something else just now`);
  const guarantees = backend.guarantees(policy);
  const guard = createGuard(withoutOwn(policy, spawn), {
    contents: guarantees.protectedPaths === 'reverted',
  });
  const before = guard.note();
  const tail = createOutputTail();
  const network = policy.network.kind === 'open' || policy.network.allowed.length > 0;
  changed();
  const confined = await backend.start({
    ...start,
    command: {
      ...command,
      sandbox: { name: backend.name, network },
      onOutput(chunk, stream) {
        tail.add(chunk);
        command.onOutput(chunk, stream);
      },
    },
  });

  /** Where changes are only undone afterwards, those of somebody who was let go would be, too. */
  const isForeign = (): boolean => guarantees.protectedPaths === 'reverted' && spawn.meanwhile.released();

  async function settle(exit: ProcessExit): Promise<ProcessExit> {
    const settled = await confined.settle(exit);
    changed();
    const denials = denialsOf(settled, tail.text(), { backend, start });
    if (settled.failure !== undefined) report({ kind: 'failed', reason: settled.failure });
    for (const each of denials) report(each);
    const { reverted, problem } = isForeign() ? NOTHING_PUT_BACK : putBack(guard, before);
    for (const each of reverted) report(revertedReport(each));
    if (problem !== undefined) report({ kind: 'failed', reason: problem });
    const note = spawn.notes ? noteFor(denials, reverted, problem) : '';
    if (note !== '') command.onOutput(Buffer.from(note), 'stderr');
    return settled.exit;
  }

  const limit = endAfter(wallSeconds, confined.process, command.onOutput);
  const exit = endOf(confined, settle, report);
  void exit.then(() => clearTimeout(limit));
  return { ...confined.process, exit };
}

const NOTHING_PUT_BACK: PutBack = { reverted: [] };

type PutBack = { readonly reverted: readonly Reverted[]; readonly problem?: string };

function putBack(guard: Guard, before: Note): PutBack {
  try {
    return { reverted: guard.compare(before) };
  } catch (error) {
    return { reverted: [], problem: messageOf(error) };
  }
}

/** What we change ourselves, or others were allowed to, is not the command's doing. */
function withoutOwn(policy: ResolvedPolicy, { ownFolders, meanwhile }: ConfinedSpawn): ResolvedPolicy {
  const own = ownFolders.map((folder): Place => ({ path: folder, kind: 'folder', device: 0, inode: 0 }));
  return {
    ...policy,
    granted: [...policy.granted, ...own],
    // Looked at when it is compared, not before: the right may be given while this command runs.
    get absent() {
      return meanwhile.released() ? [] : policy.absent.filter((file) => !meanwhile.given(file));
    },
  };
}

function endAfter(
  seconds: number | undefined,
  process: Process,
  onOutput: Command['onOutput'],
): NodeJS.Timeout | undefined {
  if (seconds === undefined) return undefined;
  return setTimeout(() => {
    onOutput(Buffer.from(`[tenon: ended after ${seconds} seconds, the sandbox's limit]\n`), 'stderr');
    void process.end();
  }, seconds * 1000);
}

/** A promise that never rejects: what goes wrong afterwards is told as well. */
function endOf(
  { process }: ConfinedProcess,
  settle: (exit: ProcessExit) => Promise<ProcessExit>,
  report: (what: SandboxReport) => void,
): Promise<ProcessExit> {
  return process.exit.then((exit) =>
    settle(exit).catch((error: unknown) => {
      report({ kind: 'failed', reason: `what the command left behind could not be checked: ${messageOf(error)}` });
      return exit;
    }),
  );
}

function denialsOf(
  settled: Settled,
  output: string,
  { backend, start }: Pick<ConfinedSpawn, 'backend' | 'start'>,
): readonly Denial[] {
  const { policy, command } = start;
  const seen = policy.network.kind === 'open' ? [] : connectDenials(settled, allowedHost(policy.network.allowed));
  if (settled.exit.kind !== 'exited') return seen;
  const evidence = { output, cwd: command.cwd, exitCode: settled.exit.code };
  const isTooWide = (target: AbsolutePath): boolean =>
    isInside(target, start.home) || start.ours.some((each) => isInside(each, target));
  const world = { resolved: policy, error: backend.writeError, exists, canWrite, isTooWide, realPath: start.realPath };
  const written = settled.paths.length > 0 ? pathDenials(settled.paths, world) : writeDenials(evidence, world);
  return [...seen, ...written];
}

function allowedHost(allowed: readonly string[]): (host: string) => boolean {
  const list = hostList(allowed);
  return (host) => list.allows(host);
}

function exists(file: AbsolutePath): boolean {
  return fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

function canWrite(file: AbsolutePath): boolean {
  try {
    fs.accessSync(file, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function revertedReport({ path: place, what, quarantined }: Reverted): SandboxReport {
  return { kind: 'reverted', path: place, change: what, ...(quarantined && { aside: quarantined }) };
}

/** For whoever reads the output: programs rarely say what stopped them. */
function noteFor(denials: readonly Denial[], reverted: readonly Reverted[], problem: string | undefined): string {
  const proven = denials.filter(({ proof }) => proof !== 'inferred');
  const stopped = [...new Set(proven.map(({ kind, target }) => `${kind} ${target}`))];
  return [
    ...(stopped.length > 0 ? [`[tenon: the sandbox blocked: ${stopped.join(', ')}]\n`] : []),
    ...(problem === undefined ? [] : [`[tenon: ${problem}]\n`]),
    ...reverted.map(
      ({ path: place, what, quarantined }) =>
        `[tenon: ${place} is protected; that it was ${what} has been undone${quarantined ? `, see ${path.basename(quarantined)}` : ''}]\n`,
    ),
  ].join('');
}
