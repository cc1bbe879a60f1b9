/** What is said to the model in our own words or in the user's. */
import type { InputEntry } from '../core/model.js';
import type { UserInput } from '../core/turn.js';

export function userEntry(input: UserInput): InputEntry {
  const content = typeof input === 'string' ? [{ kind: 'text', text: input } as const] : input;
  return { kind: 'input', role: 'user', content };
}

export function developerEntry(text: string): InputEntry {
  return { kind: 'input', role: 'developer', content: [{ kind: 'text', text }] };
}

/** In the tags that models know it by. */
export const TURN_ABORTED = userEntry(
  '<turn_aborted>\nThe turn was stopped before you were done. Commands may have run in part: check the state of things before you go on.\n</turn_aborted>',
);

export const GO_ON = developerEntry(
  'Your answer was cut off by the limit of its length. Go on exactly where it stopped; repeat nothing.',
);
