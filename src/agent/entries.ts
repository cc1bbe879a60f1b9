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

/** Of commands that the model may still think of as running. */
export function programsEnded(
  programs: readonly { readonly session: number; readonly argv: readonly string[] }[],
): InputEntry {
  const list = programs.map(({ session, argv }) => `- session ID ${session}: ${argv.join(' ')}`);
  return developerEntry(
    `The program you work in was closed and started again. These commands were running then, and have been ended:\n${list.join('\n')}`,
  );
}

export const GO_ON = developerEntry(
  'Your answer was cut off by the limit of its length. Go on exactly where it stopped; repeat nothing.',
);
