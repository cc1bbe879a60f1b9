/** When a turn that was stopped is to be stopped again: as soon as all of its calls are as far as they were then. */
import type { RecordedAct } from './recorded-act.js';
import { wasCutOff, wasTried } from './recorded-call.js';
import type { RecordedCall } from './recorded-call.js';

/** Whether there are calls that never ended by themselves, after which the model said nothing more. */
export function isCutOff({ calls, steps }: RecordedAct): boolean {
  const last = calls.findLast(wasCutOff);
  return last !== undefined && !steps.some((step, at) => at > last.step && step.kind === 'response' && step.stop);
}

export function isAsFar(recorded: RecordedAct, replayed: RecordedAct): boolean {
  return recorded.calls.every((call, at) => hasReached(call, replayed.calls[at]));
}

function hasReached(recorded: RecordedCall, replayed: RecordedCall | undefined): boolean {
  if (replayed?.settled) return true;
  if (!wasCutOff(recorded)) return false;
  if (recorded.own === undefined) return true;
  return replayed?.own !== undefined && (wasTried(replayed) || !wasTried(recorded));
}
