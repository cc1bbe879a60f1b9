/** Events that come to one sentence: something went wrong and stops nothing, or something is good to know. */
import type { RuntimeEvent } from '../../index.js';
import type { ItemBody } from './exec-event.js';

type Remark = Extract<ItemBody, { type: 'error' | 'notice' }>;

/** Undefined for all that is told otherwise. */
export function remarkOn(event: RuntimeEvent): Remark | undefined {
  const message = problemIn(event);
  const note = message ?? noteIn(event);
  if (note === undefined) return undefined;
  return {
    type: message === undefined ? 'notice' : 'error',
    kind: event.type,
    message: note,
    ...('callId' in event && { call: event.callId }),
  };
}

function problemIn(event: RuntimeEvent): string | undefined {
  switch (event.type) {
    case 'warning.raised':
      return event.message;
    case 'tool.refused':
      return `tool ${event.name} is left out: ${event.reason}`;
    case 'listener.failed':
      return `a listener failed and hears no more: ${event.reason}`;
    case 'rule.refused':
      return `the rule could not be saved: ${event.reason}`;
    case 'sandbox.failed':
      return event.reason;
    case 'sandbox.reverted':
      return `${event.path} is protected: that it was ${event.change} was undone${asideOf(event.aside)}`;
    case 'changes.unrecorded':
      return `what the command changed cannot be taken back: ${event.reason}`;
    case 'changes.recovered':
      return event.result === 'left' ? `${recovered(event.paths)} could not all be put back` : undefined;
    case 'repetition.noticed':
      return `${event.name} fails again and again in the same way: ${event.times} times so far`;
    default:
      return undefined;
  }
}

function asideOf(aside: string | undefined): string {
  return aside === undefined ? '' : `; what stood there is now ${aside}`;
}

function recovered(paths: readonly string[]): string {
  return `what an earlier run had left half made (${paths.join(', ')})`;
}

function noteIn(event: RuntimeEvent): string | undefined {
  switch (event.type) {
    case 'changes.recovered':
      return `${recovered(event.paths)} was ${event.result === 'completed' ? 'completed' : 'put back'}`;
    case 'rule.saved':
      return `saved: ${event.rules.map(({ name }) => name).join(', ')}`;
    case 'call.reused':
      return `the result of ${event.of} was used again, it was not run twice`;
    default:
      return undefined;
  }
}
