/** From the lines of a session to what a person wants to know of it: what was said, and each call with its outcome. */
import type { LineOf, SessionLine } from '../../index.js';
import { contentText } from './content-text.js';
import { callsIn } from './story-calls.js';
import type { Call } from './story-calls.js';

export type Told =
  | { readonly kind: 'turn'; readonly number: number; readonly at: string }
  | { readonly kind: 'user' | 'message' | 'reasoning'; readonly text: string }
  | Call
  | { readonly kind: 'plan'; readonly plan: LineOf<'plan.updated'>['plan'] }
  | { readonly kind: 'note'; readonly text: string };

export function storyOf(lines: readonly SessionLine[]): readonly Told[] {
  const calls = callsIn(lines);
  const turns = lines.filter((line) => line.type === 'turn.started');
  const models = changesOfModel(lines);
  return lines.flatMap((line): readonly Told[] => {
    const call = calls.get(line);
    if (call) return [call];
    if (line.type === 'turn.started') return [{ kind: 'turn', number: turns.indexOf(line) + 1, at: line.at }];
    if (line.type !== 'settings.chosen') return told(line);
    return models.has(line) ? [{ kind: 'note', text: `from here on with ${line.model} of ${line.provider}` }] : [];
  });
}

/** Which one it began with is said of the whole session. */
function changesOfModel(lines: readonly SessionLine[]): ReadonlySet<SessionLine> {
  const chosen = lines.filter((line) => line.type === 'settings.chosen');
  const isOther = ({ model, provider }: (typeof chosen)[number], index: number): boolean => {
    const before = chosen[index - 1];
    return before !== undefined && (before.model !== model || before.provider !== provider);
  };
  return new Set(chosen.filter(isOther));
}

/** What is not worth a word is left out. */
function told(line: SessionLine): readonly Told[] {
  switch (line.type) {
    case 'entry.said':
      return line.origin === 'user' ? [{ kind: 'user', text: contentText(line.entry.content) }] : [];
    case 'item.received':
      return toldItem(line.item);
    case 'plan.updated':
      return [{ kind: 'plan', plan: line.plan }];
    default: {
      const text = noteOn(line);
      return text === undefined ? [] : [{ kind: 'note', text }];
    }
  }
}

function toldItem(item: LineOf<'item.received'>['item']): readonly Told[] {
  switch (item.kind) {
    case 'message':
      return [{ kind: 'message', text: item.text }];
    case 'reasoning':
      return item.text === '' ? [] : [{ kind: 'reasoning', text: item.text }];
    case 'hosted':
      return [{ kind: 'note', text: `the server ran ${item.name} ${JSON.stringify(item.detail)}` }];
    default:
      return [];
  }
}

function noteOn(line: SessionLine): string | undefined {
  switch (line.type) {
    case 'history.replaced':
      return `the conversation was told shorter (${line.reason})`;
    case 'program.left':
      return `${line.argv.join(' ')} goes on as session ${line.session}`;
    case 'turn.finished':
      if (line.status === 'completed') return undefined;
      return `the turn ${ENDS[line.status]}${line.error ? `: ${line.error.message}` : ''}`;
    default:
      return undefined;
  }
}

const ENDS = { interrupted: 'was interrupted', failed: 'failed', stopped: 'was stopped' } as const;
