/** The log of a session in memory, for looking at its lines and for going on from any of them. */
import { sessionLineSchema } from '../../src/core/session-schema.js';
import type { SessionLine, SessionLog } from '../../src/index.js';

export type MemoryLog = SessionLog & { readonly lines: readonly SessionLine[] };

/** Each line is checked, and kept as it would be read from a file. */
export function memoryLog(id = 'session', append: (line: SessionLine) => void = () => {}): MemoryLog {
  const lines: SessionLine[] = [];
  return {
    id,
    lines,
    append(line) {
      append(line);
      const text = JSON.stringify(line);
      sessionLineSchema.parse(JSON.parse(text));
      lines.push(JSON.parse(text) as SessionLine);
    },
    durable: () => Promise.resolve(),
    close: () => {},
  };
}
