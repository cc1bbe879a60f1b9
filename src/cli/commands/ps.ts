/** `tenon ps`: every process that a running Tenon has started on this machine. */
import { ownedProcesses } from '../../index.js';
import type { OwnedProcess } from '../../index.js';
import { EXIT } from '../exit-codes.js';
import { textTable } from '../text-table.js';
import { visible } from '../visible.js';

export type PsFlags = { readonly json?: boolean };

export function showProcesses({ json }: PsFlags): number {
  const processes = ownedProcesses();
  if (json) for (const each of processes) process.stdout.write(`${JSON.stringify(each)}\n`);
  else
    process.stdout.write(
      processes.length === 0 ? 'No processes are running.\n' : `${textTable([COLUMNS, ...processes.map(row)])}\n`,
    );
  return EXIT.success;
}

const COLUMNS = ['OWNER', 'SESSION', 'PID', 'PARENT', 'STATE', 'AGE', 'MEMORY', 'COMMAND'] as const;

function row({ marks, label, pid, parent, state, startedAt, memoryBytes, command }: OwnedProcess): readonly string[] {
  return [
    marks.at(-1)?.owner.split('-')[0] ?? '',
    label,
    String(pid),
    String(parent),
    state,
    age(startedAt),
    `${Math.ceil(memoryBytes / 1024 / 1024)} MB`,
    visible(command.replaceAll('\n', ' ')),
  ];
}

function age(startedAt: string): string {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(startedAt)) / 1000));
  if (seconds < 60) return `${seconds}s`;
  return seconds < 3600 ? `${Math.floor(seconds / 60)}m` : `${Math.floor(seconds / 3600)}h`;
}
