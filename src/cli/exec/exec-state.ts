/** What has to be remembered between two events in order to tell of items, and how items come about. */
import type { RuntimeEvent } from '../../index.js';
import type { ExecEvent, ExecItem, ItemBody, ItemOf } from './exec-event.js';
import type { Printed } from './printed.js';
import type { WEB_SEARCH } from './web-search-item.js';

export type ExecState = {
  /** How many items have a number. */
  readonly items: number;
  /** Those that have not ended, by their id. */
  readonly calls: ReadonlyMap<string, OpenCall>;
  /** The plan, as it was last told. */
  readonly todo?: ItemOf<'todo_list'>;
};

export type Step = readonly [state: ExecState, told: readonly ExecEvent[]];

type Started = Extract<RuntimeEvent, { type: 'call.started' }>;
type Judged = Extract<RuntimeEvent, { type: 'verdict.reached' }>;
type Changed = Extract<RuntimeEvent, { type: 'files.changed' }>;
export type Finished = Extract<RuntimeEvent, { type: 'call.finished' }>;
export type CommandEnd = Pick<Extract<RuntimeEvent, { type: 'session.ended' }>, 'exit' | 'at'>;

export type OpenCall = {
  readonly id: string;
  /** When it started. */
  readonly at: string;
  readonly tool: string;
  readonly payload: Started['payload'];
  readonly effects: Judged['effects'];
  /** The name of the rule that decided. */
  readonly rule?: string;
  /** Present once it was told that the call runs. */
  readonly item?: CallItem;
  readonly printed: Printed;
  readonly outputFile?: string;
  readonly changed: Pick<Changed, 'files' | 'diff'>[];
  /** Its command goes on, or has ended by itself, after the call was answered. */
  readonly session?: 'running' | CommandEnd;
  /** Present once it was answered. */
  readonly finished?: Finished;
  /** The plan is its item. */
  readonly planned: boolean;
};

export type CallItem = ItemOf<'command_execution' | 'file_change' | 'mcp_tool_call' | 'tool_call' | typeof WEB_SEARCH>;

export const NOTHING_TOLD: ExecState = { items: 0, calls: new Map() };

export function unchanged(state: ExecState): Step {
  return [state, []];
}

/** Gives it the next number. */
export function numbered<Body extends ItemBody>(state: ExecState, body: Body): [ExecState, Body & { id: string }] {
  return [
    { ...state, items: state.items + 1 },
    { id: `item_${state.items}`, ...body },
  ];
}

/** For what is told only once, when it is over. */
export function completed(state: ExecState, body: ItemBody): Step {
  const [next, item] = numbered(state, body);
  return [next, [{ type: 'item.completed', item: item as ExecItem }]];
}

/** Several steps as one. */
export function inTurn(state: ExecState, steps: readonly ((state: ExecState) => Step)[]): Step {
  return steps.reduce<Step>(
    ([before, told], step) => {
      const [after, more] = step(before);
      return [after, [...told, ...more]];
    },
    [state, []],
  );
}

export function withCall(state: ExecState, call: OpenCall): ExecState {
  return { ...state, calls: new Map(state.calls).set(call.id, call) };
}

export function withoutCall(state: ExecState, { id }: OpenCall): ExecState {
  const calls = new Map(state.calls);
  calls.delete(id);
  return { ...state, calls };
}
