/** Tools that were left out are said on stderr, whichever command is run. */
import type { RuntimeEvent } from '../index.js';

export function warnOfRefusedTools(event: RuntimeEvent): void {
  if (event.type === 'tool.refused') process.stderr.write(`tenon: warning: tool ${event.name}: ${event.reason}\n`);
}
