/** Runs events of a runtime through the reducer, as `tenon exec` does. */
import type { ExecEvent } from '../../../src/cli/exec/exec-event.js';
import { execEvents } from '../../../src/cli/exec/exec-events.js';
import { NOTHING_TOLD } from '../../../src/cli/exec/exec-state.js';
import type { ExecState } from '../../../src/cli/exec/exec-state.js';
import type { RuntimeEvent } from '../../../src/index.js';

type Unstamped<Event> = Event extends RuntimeEvent ? Omit<Event, 'v' | 'seq' | 'at'> : never;
export type Happening = Unstamped<RuntimeEvent>;

export function told(...happenings: readonly Happening[]): readonly ExecEvent[] {
  return toldOf(stamped(happenings));
}

/** One second passes from each to the next. */
function stamped(happenings: readonly Happening[]): readonly RuntimeEvent[] {
  return happenings.map((body, index) => ({
    v: 1,
    seq: index + 1,
    at: new Date(index * 1_000).toISOString(),
    ...body,
  }));
}

function toldOf(events: readonly RuntimeEvent[]): readonly ExecEvent[] {
  const all: ExecEvent[] = [];
  let state: ExecState = NOTHING_TOLD;
  for (const event of events) {
    const [next, lines] = execEvents(state, event);
    state = next;
    all.push(...lines);
  }
  return all;
}
