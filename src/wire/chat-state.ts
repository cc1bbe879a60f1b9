/** What has been read of a stream of the Chat Completions API, and when its parts are complete. */
import type { ModelEvent, ReplyItem, Stop, Usage } from '../core/model.js';
import type { Dialect } from '../core/provider.js';
import { isWhole } from './chat-calls.js';
import type { PartialCall } from './chat-calls.js';
import { callItem, spokenItems } from './chat-items.js';
import type { Spoken } from './chat-items.js';
import { liftTextCalls } from './lift-text-calls.js';
import type { Step } from './protocol.js';

export type ChatState = {
  /** Tools whose calls are looked for in texts. */
  readonly textCalls: readonly string[];
  /** Names the response, as far as its server does. */
  readonly response: string;
  /** Whether anything that looks like a piece of a response has come, and whether the last one has. */
  readonly heard: boolean;
  readonly done: boolean;
  /** Whether a piece came damaged. */
  readonly torn: boolean;
  /** Not told yet. */
  readonly spoken: Spoken;
  /** All of them. */
  readonly calls: readonly PartialCall[];
  /** Whether there was anything at all. */
  readonly told: boolean;
  readonly stop?: Stop;
  readonly usage?: Usage;
};

const SILENT: Spoken = { said: '', thought: '', fields: undefined };

export function startChat({ textToolCalls }: Dialect, toolNames: readonly string[]): ChatState {
  return {
    textCalls: textToolCalls ? toolNames : [],
    response: '',
    heard: false,
    done: false,
    torn: false,
    spoken: SILENT,
    calls: [],
    told: false,
  };
}

/** Tells calls that others have followed, and before them what was said before them. */
export function tellWhole(state: ChatState): Step<ChatState> {
  const waiting = state.calls.findIndex(({ phase }) => phase === 'open');
  const whole = waiting === -1 ? state.calls.length : waiting;
  return state.calls.slice(0, whole).some(({ phase }) => phase === 'whole')
    ? tell(state, spokenItems(state.spoken), (_call, at) => at < whole)
    : { state, events: [] };
}

/** The response is over: all that is left of it. What was cut off leaves half a call behind, which is none. */
export function tellRest(state: ChatState): Step<ChatState> {
  const isCut = state.stop === 'length' || state.stop === 'filter';
  const spoken = spokenItems(state.spoken);
  const items = state.calls.length === 0 ? liftTextCalls(spoken, state.textCalls, state.response) : spoken;
  return tell(state, items, (call) => call.name !== '' && (!isCut || call.phase === 'whole' || isWhole(call)));
}

type Choice = (call: PartialCall, at: number) => boolean;

function tell(state: ChatState, spoken: readonly ReplyItem[], isDue: Choice): Step<ChatState> {
  const calls = state.calls.map((call, at) =>
    call.phase !== 'sent' && isDue(call, at) ? { ...call, phase: 'sent' as const } : call,
  );
  const items = calls.flatMap((call, at) =>
    call === state.calls[at] ? [] : [callItem(call, `${state.response} ${at}`, idsBefore(calls, at))],
  );
  const events = [...spoken, ...items].map((item): ModelEvent => ({ kind: 'item', item }));
  return {
    state: { ...state, spoken: SILENT, calls, told: state.told || events.length > 0 },
    events,
  };
}

function idsBefore(calls: readonly PartialCall[], at: number): readonly string[] {
  return calls.slice(0, at).map(({ id }) => id);
}
