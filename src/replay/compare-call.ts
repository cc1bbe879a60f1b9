/** One call, as it was recorded and as it went now. */
import type { Effect } from '../core/effects.js';
import type { ContentPart } from '../core/output.js';
import type { LineOf } from '../core/session-log.js';
import { divergenceBetween, placeOf } from './divergence.js';
import type { Divergence } from './divergence.js';
import type { Mask } from './mask.js';
import { wasCutOff, wasTried } from './recorded-call.js';
import type { CallEvent, RecordedCall } from './recorded-call.js';

/** The masks of both sides, and whether tools were only played. */
export type Comparing = { readonly recorded: Mask; readonly replayed: Mask; readonly toolsArePlayed: boolean };

/** Both have ended. Of a call that was cut off nothing is compared: how far it came was chance. */
export function compareCall(
  turn: number,
  recorded: RecordedCall,
  replayed: RecordedCall,
  comparing: Comparing,
): readonly Divergence[] {
  if (wasCutOff(recorded) || recorded.settled === undefined || replayed.settled === undefined) return [];
  const call = placeOf(recorded);
  const texts = (tell: (of: RecordedCall) => string): [string, string] => [
    comparing.recorded(tell(recorded)),
    comparing.replayed(tell(replayed)),
  ];
  const events = (of: RecordedCall): readonly CallEvent[] => eventsOf(of, comparing);
  const isOutcome = outcomeText(recorded.settled) !== outcomeText(replayed.settled);
  const found = [
    divergenceBetween(...texts((of) => questionsText(events(of))), { turn, call, what: 'questions' }),
    divergenceBetween(...texts(endText), { turn, call, what: isOutcome ? 'outcome' : 'answer' }),
    // Whether it ran at all is told by how it ended.
    wasTried(recorded) && wasTried(replayed)
      ? divergenceBetween(...texts((of) => attemptsText(events(of))), { turn, call, what: 'rights' })
      : undefined,
  ];
  return found.filter((each) => each !== undefined);
}

/** What is only played is never stopped by the sandbox, so there is no second attempt and nothing to ask about it. */
function eventsOf({ events }: RecordedCall, { toolsArePlayed }: Comparing): readonly CallEvent[] {
  const first = events.findIndex(({ kind }) => kind === 'attempt');
  return toolsArePlayed && first !== -1 ? events.slice(0, first + 1).map(withoutTyping) : events;
}

/** There is no program to type into either. */
function withoutTyping(event: CallEvent): CallEvent {
  if (event.kind !== 'attempt') return event;
  const effects = event.intended.effects.filter(({ kind }) => kind !== 'type');
  return { ...event, intended: { ...event.intended, effects } };
}

function questionsText(events: readonly CallEvent[]): string {
  return events
    .flatMap((event) => (event.kind === 'question' ? [`${event.asked.title}: ${event.asked.reason}`] : []))
    .join('\n');
}

function endText({ settled }: RecordedCall): string {
  return settled === undefined ? '' : `${outcomeText(settled)}\n${settled.answer.content.map(partText).join('')}`;
}

function outcomeText({ outcome, by, answer }: LineOf<'call.settled'>): string {
  if (by !== undefined) return `[${outcome} by ${by}]`;
  return outcome === 'completed' && !answer.success ? '[completed without success]' : `[${outcome}]`;
}

function partText(part: LineOf<'call.settled'>['answer']['content'][number] | ContentPart): string {
  return part.kind === 'text' ? part.text : `[${part.mediaType}: ${part.base64}]`;
}

function attemptsText(events: readonly CallEvent[]): string {
  return events.flatMap((event) => (event.kind === 'attempt' ? attemptLines(event.intended) : [])).join('\n');
}

function attemptLines({ attempt, confined, grants, effects }: LineOf<'call.intended'>): readonly string[] {
  return [
    `attempt ${attempt}, ${confinedText(confined)}`,
    ...grants.map((grant) => `  may ${grant.kind} ${'host' in grant ? grant.host : grant.path}`),
    ...effects.map((effect) => `  ${effectText(effect as Effect)}`),
  ];
}

/** What a patch makes of a file is in its answer; which shell there is depends on the machine. */
function effectText(effect: Effect): string {
  switch (effect.kind) {
    case 'exec':
      return `runs ${JSON.stringify(withoutShell(effect.argv))} in ${effect.cwd}`;
    case 'write':
      return `writes ${effect.path}`;
    case 'read':
      return `reads ${effect.path}`;
    case 'type':
      return `types ${JSON.stringify(effect.text)} into ${effect.session}, ${confinedText(effect.confined)}`;
    case 'connect':
      return `connects to ${effect.host}`;
    case 'remote':
      return `calls ${effect.server}/${effect.tool}`;
  }
}

function confinedText(confined: boolean | undefined): string {
  return confined ? 'confined' : 'not confined';
}

function withoutShell(argv: readonly string[]): readonly string[] {
  const [program = '', flag = ''] = argv;
  const isScript = argv.length === 3 && /^-l?c$/.test(flag) && /(?:^|\/)\w*sh$/.test(program);
  return isScript ? ['<shell>', ...argv.slice(1)] : argv;
}
