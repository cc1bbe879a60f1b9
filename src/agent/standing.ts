/**
 * What a summary must not leave to a model's memory: the plan, what still runs, and which calls of this turn have ended.
 * It is added to the notes as it is.
 */
import type { ToolCall } from '../core/call.js';
import type { Told } from './history.js';

export type Standing = {
  readonly plan?: readonly { readonly step: string; readonly status: string }[];
  /** Commands that go on, and what the model knows each by. */
  readonly programs: readonly { readonly session: number; readonly command: string }[];
};

/** Empty when there is nothing of the kind. */
export function standingText(entries: readonly Told[], { plan = [], programs }: Standing): string {
  return [
    section(
      'The plan as it stands:',
      plan.map(({ step, status }) => `- [${status}] ${step}`),
    ),
    section(
      'Commands that still run:',
      programs.map(({ session, command }) => `- session ID ${session}: ${shortened(command)}`),
    ),
    section('Calls since the last message of the user that have ended; do not repeat them:', endedCalls(entries)),
  ].join('');
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `\n\n${title}\n${lines.join('\n')}`;
}

/** The last ones; of a longer list the notes have to tell. */
const MOST_CALLS = 40;

function endedCalls(entries: readonly Told[]): readonly string[] {
  const recent = entries.slice(entries.findLastIndex(({ origin }) => origin === 'user') + 1);
  let calls: readonly ToolCall[] = [];
  const lines: string[] = [];
  for (const { entry } of recent) {
    if (entry.kind === 'reply') calls = entry.items.flatMap((item) => (item.kind === 'call' ? [item.call] : []));
    if (entry.kind !== 'answers') continue;
    entry.answers.forEach(({ success }, at) => {
      const call = calls[at];
      if (call) lines.push(`- ${call.name} ${shortened(textOf(call))}: ${success ? 'done' : 'failed'}`);
    });
  }
  return lines.slice(-MOST_CALLS);
}

function textOf({ payload }: ToolCall): string {
  switch (payload.kind) {
    case 'function':
      return payload.arguments;
    case 'custom':
      return payload.input;
    default:
      return JSON.stringify(payload.argv);
  }
}

const MOST_CHARACTERS = 160;

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= MOST_CHARACTERS ? line : `${line.slice(0, MOST_CHARACTERS)}…`;
}
