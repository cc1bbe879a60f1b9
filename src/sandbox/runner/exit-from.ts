/** How a program ended, from the status that `wait` gives. */
import os from 'node:os';

import type { ProcessExit } from '../../core/workspace.js';

export function exitFrom(status: number): ProcessExit {
  const number = status & 0x7f;
  if (number === 0) return { kind: 'exited', code: (status >> 8) & 0xff };
  const known = Object.entries(os.constants.signals).find(([, value]) => value === number);
  return { kind: 'signalled', signal: known?.[0] ?? `SIG${number}`, number };
}
