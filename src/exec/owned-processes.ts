/**
 * Finding what a command has started, wherever it went. Every command carries a mark in its environment, which its
 * children inherit, also those that start a session of their own or outlive their parents. Children that drop their
 * environment are still found by the session they are in. (Only one that does both is lost from sight.)
 */
import type { ProcessInfo } from '../core/workspace.js';
import { allStats, commandOf, environmentOf, memoryOf, startOf } from './process-table.js';
import type { Stat } from './process-table.js';

const OWNER_VARIABLE = 'TENON_OWNER';

/** A runtime's own name and a command's name in it. */
export type OwnerMark = { readonly owner: string; readonly label: string };

/** A command, by the process that leads its session; with the time of its end, as the system counts it. */
export type CommandEntry = { readonly mark: OwnerMark; readonly endedAt?: number };

/** The variable that marks a command. Marks add up, so that a runtime inside of another one belongs to both. */
export function markedEnvironment({ owner, label }: OwnerMark, inherited: string | undefined): Record<string, string> {
  const mark = `${owner}:${label}`;
  return { [OWNER_VARIABLE]: inherited === undefined || inherited === '' ? mark : `${inherited},${mark}` };
}

export function inheritedMark(): string | undefined {
  return process.env[OWNER_VARIABLE];
}

export type OwnedProcess = ProcessInfo & { readonly marks: readonly OwnerMark[] };

/** Everything that a runtime has started, this one or another; what lost its mark is found through its session. */
export function ownedProcesses(commands: ReadonlyMap<number, CommandEntry> = new Map()): readonly OwnedProcess[] {
  const stats = allStats();
  const marked = new Map([...stats.keys()].map((pid) => [pid, marksOf(pid)]));
  const bySession = sessionsAmong(stats, commands);
  for (const [pid, { session }] of stats) {
    const marks = marked.get(pid) ?? [];
    // Who carries a mark is in a session that was started under it.
    if (marks.length > 0 && !bySession.has(session)) bySession.set(session, marks);
  }
  return [...stats].flatMap(([pid, stat]) => {
    const marks = joined(marked.get(pid) ?? [], bySession.get(stat.session) ?? []);
    return marks.length === 0 ? [] : [describe(pid, stat, marks)];
  });
}

/**
 * Which commands still have somebody in their session. The number of one that has ended may belong to a new session by
 * now; it is still the old one if somebody is in it who was there before the end.
 */
export function sessionsAmong(
  stats: ReadonlyMap<number, Stat>,
  commands: ReadonlyMap<number, CommandEntry>,
): Map<number, readonly OwnerMark[]> {
  const found = new Map<number, readonly OwnerMark[]>();
  for (const { session, startTicks } of stats.values()) {
    const command = commands.get(session);
    if (command && startTicks <= (command.endedAt ?? Number.POSITIVE_INFINITY)) found.set(session, [command.mark]);
  }
  return found;
}

export function isSame(a: OwnerMark, b: OwnerMark): boolean {
  return a.owner === b.owner && a.label === b.label;
}

function joined(own: readonly OwnerMark[], others: readonly OwnerMark[]): readonly OwnerMark[] {
  return [...others.filter((other) => !own.some((mark) => isSame(mark, other))), ...own];
}

function marksOf(pid: number): readonly OwnerMark[] {
  const variable = environmentOf(pid).find((each) => each.startsWith(`${OWNER_VARIABLE}=`));
  const marks = variable?.slice(OWNER_VARIABLE.length + 1).split(',') ?? [];
  return marks.flatMap((mark) => {
    const [owner, label] = mark.split(':');
    return owner === undefined || label === undefined ? [] : [{ owner, label }];
  });
}

function describe(pid: number, stat: Stat, marks: readonly OwnerMark[]): OwnedProcess {
  return {
    pid,
    parent: stat.parent,
    label: marks.at(-1)?.label ?? '',
    command: commandOf(pid),
    state: stat.state,
    startedAt: startOf(stat).toISOString(),
    memoryBytes: memoryOf(pid),
    marks,
  };
}
