/** The life of a call: from its start to the item that tells how it ended. Which item it is, its effects say. */
import type { RuntimeEvent } from '../../index.js';
import { endedItem, leftItem, refusalOf, startedItem } from './call-items.js';
import type { ExecEvent } from './exec-event.js';
import { fileChangeOf } from './file-changes.js';
import { completed, inTurn, numbered, unchanged, withCall, withoutCall } from './exec-state.js';
import type { CommandEnd, ExecState, Finished, OpenCall, Step } from './exec-state.js';
import { NOTHING_PRINTED, printMore } from './printed.js';

type CallEvent = Extract<RuntimeEvent, { callId: string }>;

export function callEvents(state: ExecState, event: RuntimeEvent): Step {
  if (!('callId' in event)) return unchanged(state);
  if (event.type === 'call.started') return [withCall(state, opened(event)), []];
  const call = state.calls.get(event.callId);
  if (event.type === 'attempt.denied') return denied(state, event);
  return call === undefined ? unchanged(state) : oneEvent(state, call, event);
}

function opened({ callId, at, name, payload }: Extract<CallEvent, { type: 'call.started' }>): OpenCall {
  return { id: callId, at, tool: name, payload, effects: [], printed: NOTHING_PRINTED, changed: [], planned: false };
}

function denied(state: ExecState, event: Extract<CallEvent, { type: 'attempt.denied' }>): Step {
  const { callId: call, attempt, kind, target, proof } = event;
  return completed(state, { type: 'denial', call, attempt, kind, target, proof });
}

function oneEvent(state: ExecState, call: OpenCall, event: CallEvent): Step {
  const noted = (more: Partial<OpenCall>): Step => [withCall(state, { ...call, ...more }), []];
  switch (event.type) {
    case 'hook.finished':
      return event.payload === undefined ? unchanged(state) : noted({ payload: event.payload });
    case 'verdict.reached':
      return noted({ effects: event.effects, rule: event.rule.name });
    case 'attempt.started':
      // What a second attempt prints takes the place of what the first one did.
      return call.item === undefined ? begin(state, call) : noted({ printed: NOTHING_PRINTED });
    case 'output.delta':
      return noted({ printed: printMore(call.printed, event.text, event.omitted) });
    case 'output.kept':
      return noted({ outputFile: event.path });
    case 'plan.updated':
      return noted({ planned: true });
    case 'files.changed':
      return filesChanged(state, call, event);
    case 'session.opened':
      return noted({ session: 'running' });
    case 'session.ended':
      return sessionEnded(state, call, { exit: event.exit, at: event.at });
    case 'call.finished':
      return callFinished(state, call, event);
    default:
      return unchanged(state);
  }
}

/** A call without any effect may turn out to be a plan, so it is told of when it is over. */
function begin(state: ExecState, call: OpenCall): Step {
  if (call.effects.length === 0) return unchanged(state);
  const [next, item] = numbered(state, startedItem(call));
  return [withCall(next, { ...call, item }), [{ type: 'item.started', item }]];
}

/** What a command changed is an item of its own; what a call was made for is told at its end. */
function filesChanged(state: ExecState, call: OpenCall, event: Extract<CallEvent, { type: 'files.changed' }>): Step {
  const { files, diff } = event;
  const change = { files, ...(diff !== undefined && { diff }) };
  if (call.item?.type === 'file_change') return [withCall(state, { ...call, changed: [...call.changed, change] }), []];
  return completed(state, fileChangeOf(call.id, [change]));
}

function sessionEnded(state: ExecState, call: OpenCall, session: CommandEnd): Step {
  const ended = { ...call, session };
  return call.finished === undefined ? [withCall(state, ended), []] : end(state, ended, call.finished);
}

function callFinished(state: ExecState, call: OpenCall, finished: Finished): Step {
  if (call.session === 'running' && finished.outcome === 'completed')
    return [withCall(state, { ...call, finished }), []];
  return inTurn(state, [(before) => refuse(before, call, finished), (before) => end(before, call, finished)]);
}

function refuse(state: ExecState, call: OpenCall, finished: Finished): Step {
  return finished.outcome === 'rejected' ? completed(state, refusalOf(call, finished)) : unchanged(state);
}

/** A refusal is all there is to say of what never ran, and a plan of what made it. */
function end(state: ExecState, call: OpenCall, finished: Finished): Step {
  const closed = withoutCall(state, call);
  if (call.item) return [closed, [{ type: 'item.completed', item: endedItem(call.item, call, finished) }]];
  if (finished.outcome === 'rejected' || (call.planned && finished.success)) return unchanged(closed);
  const [next, item] = numbered(closed, startedItem(call));
  return [next, [{ type: 'item.completed', item: endedItem(item, call, finished) }]];
}

/** The turn is over: nobody will hear of what still runs. */
export function leaveRunning(state: ExecState): Step {
  const told = [...state.calls.values()].flatMap((call): readonly ExecEvent[] => {
    if (call.item === undefined) return [];
    const item = call.finished ? endedItem(call.item, call, call.finished) : leftItem(call.item, call);
    return [{ type: 'item.completed', item }];
  });
  return [{ ...state, calls: new Map() }, told];
}
