/** One turn, as it was recorded and as it went now; its calls are compared one by one elsewhere. */
import { isJsonObject } from '../core/json-object.js';
import type { JsonObject } from '../core/json-object.js';
import type { InputEntry } from '../core/model.js';
import type { Comparing } from './compare-call.js';
import { divergenceBetween } from './divergence.js';
import type { Divergence, DivergingPart } from './divergence.js';
import type { RecordedAct } from './recorded-act.js';

/** What the model is told before it says anything: the shape of the request and the surroundings. */
export function compareBeginning(
  recorded: RecordedAct,
  replayed: RecordedAct,
  comparing: Comparing,
): readonly Divergence[] {
  const turn = recorded.number;
  const between = (what: DivergingPart, tell: (of: RecordedAct) => string): Divergence | undefined =>
    divergenceBetween(comparing.recorded(tell(recorded)), comparing.replayed(tell(replayed)), { turn, what });
  return [
    between('prompt', promptText),
    between('tools', ({ request }) => toolsText(request)),
    between('settings', ({ request }) => settingsText(request)),
    between('context', ({ context }) => contextText(context)),
  ].filter((each) => each !== undefined);
}

/** How the turn ended. `wasStopped` is true when that was because the recording ends there. */
export function compareEnd(
  recorded: RecordedAct,
  replayed: RecordedAct,
  { wasStopped, ...comparing }: Comparing & { readonly wasStopped: boolean },
): readonly Divergence[] {
  const turn = recorded.number;
  const between = (what: DivergingPart, tell: (of: RecordedAct) => string): Divergence | undefined =>
    divergenceBetween(comparing.recorded(tell(recorded)), comparing.replayed(tell(replayed)), { turn, what });
  const reached = replayed.calls.length;
  const missing = wasStopped ? [] : recorded.calls.slice(reached);
  return [
    divergenceBetween(missing.map(({ number, call }) => `call ${number}: ${call.name}`).join('\n'), '', {
      turn,
      what: 'calls',
    }),
    between('history', summariesText),
    wasStopped || recorded.end === undefined ? undefined : between('end', endText),
  ].filter((each) => each !== undefined);
}

function promptText({ request }: RecordedAct): string {
  const text = request?.['instructions'];
  return typeof text === 'string' ? text : '';
}

/** One field a line, so that a difference is seen where it is. */
function toolsText(request: JsonObject | undefined): string {
  const tools = (request?.['tools'] ?? []) as readonly unknown[];
  return tools.map((tool) => JSON.stringify(tool, undefined, 2)).join('\n');
}

function settingsText(request: JsonObject = {}): string {
  const rest = Object.entries(request).filter(([key]) => !ELSEWHERE.has(key));
  return rest
    .map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
    .toSorted()
    .join('\n');
}

/** Compared by themselves, or the name of the conversation. */
const ELSEWHERE: ReadonlySet<string> = new Set(['instructions', 'tools', 'cacheKey']);

function contextText(context: readonly InputEntry[]): string {
  return context
    .map(({ content }) => content.map((part) => (part.kind === 'text' ? part.text : '[image]')).join(''))
    .map((text) => text.replaceAll(OF_THE_MACHINE, ''))
    .filter((text) => text !== NOTHING_NEW)
    .join('\n\n');
}

/** Where and when it runs is not what a recording is about. */
const OF_THE_MACHINE = /^ *<(shell|operating_system|current_date|timezone)>.*<\/\1>\n/gm;
const NOTHING_NEW = '<environment_context>\n</environment_context>';

function summariesText({ steps }: RecordedAct): string {
  return steps
    .flatMap((step) => (step.kind === 'summary' ? [`the conversation is told shorter (${step.replaced.reason})`] : []))
    .join('\n');
}

function endText({ end }: RecordedAct): string {
  if (end === undefined) return '';
  const problem = isJsonObject(end.error) ? [`${end.error.kind}: ${end.error.message}`] : [];
  return [`the turn is ${end.status}`, ...problem, ...(end.message === undefined ? [] : ['', end.message])].join('\n');
}
