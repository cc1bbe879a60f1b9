/** Hears the runtime and prints its lines, as JSON or for people. What comes before the thread has a name waits for it. */
import type { RuntimeEvent } from '../../index.js';
import type { ExecEvent } from './exec-event.js';
import { EXEC_VERSION } from './exec-event.js';
import { execEvents } from './exec-events.js';
import { NOTHING_TOLD } from './exec-state.js';

/** What the first line says. */
export type Thread = Omit<Extract<ExecEvent, { type: 'thread.started' }>, 'type' | 'v'>;

export interface ExecLines {
  hear(event: RuntimeEvent): void;
  /** Prints the first line. */
  start(thread: Thread): void;
}

export type LineOptions = {
  readonly print: (event: ExecEvent) => void;
  /** Whether reasoning is left out. */
  readonly hideReasoning: boolean;
};

export function createExecLines({ print, hideReasoning }: LineOptions): ExecLines {
  let state = NOTHING_TOLD;
  let early: RuntimeEvent[] | undefined = [];

  function tell(event: RuntimeEvent): void {
    if (hideReasoning && event.type === 'reasoning.completed') return;
    const [next, told] = execEvents(state, event);
    state = next;
    for (const line of told) print(line);
  }

  return {
    hear(event) {
      if (early) early.push(event);
      else tell(event);
    },
    start(thread) {
      const waiting = early ?? [];
      early = undefined;
      print({ type: 'thread.started', v: EXEC_VERSION, ...thread });
      for (const event of waiting) tell(event);
    },
  };
}
