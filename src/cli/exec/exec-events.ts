/**
 * From the runtime's events to the lines of `tenon exec`, as a pure reducer: what `--json` prints, and what progress for
 * people is made of. Items are told in the order in which things happened; only whole messages, no deltas.
 */
import { isJsonObject } from '../../index.js';
import type { RuntimeEvent } from '../../index.js';
import { callEvents, leaveRunning } from './call-events.js';
import type { ExecEvent } from './exec-event.js';
import { completed, inTurn, numbered, unchanged } from './exec-state.js';
import type { ExecState, Step } from './exec-state.js';
import { remarkOn } from './remarks.js';
import { WEB_SEARCH } from './web-search-item.js';

export function execEvents(state: ExecState, event: RuntimeEvent): Step {
  switch (event.type) {
    case 'turn.started':
      return [state, [{ type: 'turn.started', turn_id: event.turn }]];
    case 'request.retried':
      return [state, [retryLine(event)]];
    case 'message.completed':
      return completed(state, { type: 'agent_message', text: event.text, ...(event.phase && { phase: event.phase }) });
    case 'reasoning.completed':
      return event.text === '' ? unchanged(state) : completed(state, { type: 'reasoning', text: event.text });
    case 'hosted.finished':
      return hostedFinished(state, event);
    case 'plan.updated':
      return inTurn(state, [(before) => callEvents(before, event), (before) => planUpdated(before, event)]);
    case 'history.compacted':
      return completed(state, {
        type: 'compaction',
        reason: event.reason,
        tokens_before: event.tokensBefore,
        tokens_after: event.tokensAfter,
      });
    case 'turn.finished':
      return inTurn(state, [leaveRunning, planFinished, (before) => [before, turnEnd(event)]]);
    default: {
      const remark = remarkOn(event);
      return remark === undefined ? callEvents(state, event) : completed(state, remark);
    }
  }
}

type Of<Type extends RuntimeEvent['type']> = Extract<RuntimeEvent, { type: Type }>;

function retryLine({ retry, most, delayMs, error }: Of<'request.retried'>): ExecEvent {
  const message = `Reconnecting... ${retry}/${most} (${error.message})`;
  return { type: 'error', ...error, message, retry, most, delay_ms: delayMs };
}

/** A search keeps the id that its server gave it. */
function hostedFinished(state: ExecState, { id, name, detail }: Of<'hosted.finished'>): Step {
  const action = isJsonObject(detail['action']) ? detail['action'] : undefined;
  if (name.startsWith(WEB_SEARCH)) {
    const query = action?.['query'] ?? detail['query'];
    const item = { id, type: WEB_SEARCH, query: typeof query === 'string' ? query : '', ...(action && { action }) };
    return [state, [{ type: 'item.completed', item }]];
  }
  return completed(state, { type: 'tool_call', call: id, tool: name, arguments: detail, status: 'completed' });
}

/** One item for as long as the turn lasts. */
function planUpdated(state: ExecState, { plan, explanation }: Of<'plan.updated'>): Step {
  const body = {
    type: 'todo_list' as const,
    items: plan.map(({ step, status }) => ({ text: step, completed: status === 'completed', status })),
    ...(explanation !== undefined && { explanation }),
  };
  if (state.todo) {
    const item = { id: state.todo.id, ...body };
    return [{ ...state, todo: item }, [{ type: 'item.updated', item }]];
  }
  const [next, item] = numbered(state, body);
  return [{ ...next, todo: item }, [{ type: 'item.started', item }]];
}

function planFinished({ todo, ...state }: ExecState): Step {
  return [state, todo === undefined ? [] : [{ type: 'item.completed', item: todo }]];
}

function turnEnd(event: Of<'turn.finished'>): readonly ExecEvent[] {
  const { status, requests, costUsd } = event;
  const end = {
    usage: usageLine(event.total),
    turn_usage: usageLine(event.usage),
    requests,
    ...(costUsd !== undefined && { cost_usd: costUsd }),
  };
  if (status === 'completed') return [{ type: 'turn.completed', ...end }];
  const { error = { kind: status, message: `the turn was ${status}` } } = event;
  const failed: ExecEvent = { type: 'turn.failed', error, ...end };
  return status === 'interrupted' ? [failed] : [{ type: 'error', ...error }, failed];
}

function usageLine(usage: Of<'turn.finished'>['usage']): Extract<ExecEvent, { type: 'turn.completed' }>['usage'] {
  return {
    input_tokens: usage.inputTokens,
    cached_input_tokens: usage.cachedInputTokens,
    cache_write_input_tokens: usage.cacheWriteInputTokens,
    output_tokens: usage.outputTokens,
    reasoning_output_tokens: usage.reasoningOutputTokens,
  };
}
