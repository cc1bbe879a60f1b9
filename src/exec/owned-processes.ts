/**
 * Finding what a command has started, wherever it went. Every command carries a mark in its environment, which its
 * children inherit, also those that start a session of their own or outlive their parents; children that drop their
 * environment are still found by the session of the command. (Only one that does both is lost from sight.)
 */
import type { ProcessInfo } from '../core/workspace.js';
import { allProcesses, commandOf, environmentOf, memoryOf, startOf, statOf } from './process-table.js';
import type { Stat } from './process-table.js';

const OWNER_VARIABLE = 'TENON_OWNER';

/** A runtime's own name and a command's name in it. */
export type OwnerMark = { readonly owner: string; readonly label: string };

/** The variable that marks a command. Marks add up, so that a runtime inside of another one belongs to both. */
export function markedEnvironment({ owner, label }: OwnerMark, inherited: string | undefined): Record<string, string> {
  const mark = `${owner}:${label}`;
  return { [OWNER_VARIABLE]: inherited === undefined || inherited === '' ? mark : `${inherited},${mark}` };
}

export const inheritedMark = (): string | undefined => process.env[OWNER_VARIABLE];

export type OwnedProcess = ProcessInfo & { readonly marks: readonly OwnerMark[] };

/** Everything that carries a mark, whoever gave it. `commands` are session leaders whose sessions count as well. */
export function ownedProcesses(commands: ReadonlyMap<number, OwnerMark> = new Map()): readonly OwnedProcess[] {
  return allProcesses().flatMap((pid) => {
    const stat = statOf(pid);
    if (stat === undefined || stat.state === 'Z' || stat.state === 'X') return [];
    const marks = marksOf(pid);
    const command = commands.get(stat.session);
    const all = command && !marks.some((each) => isSame(each, command)) ? [...marks, command] : marks;
    return all.length === 0 ? [] : [describe(pid, stat, all)];
  });
}

export function isSame(a: OwnerMark, b: OwnerMark): boolean {
  return a.owner === b.owner && a.label === b.label;
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
