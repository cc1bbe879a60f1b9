/** Commands that go on after their call, and whether the process in which they ran has gone since. */
import type { SessionLine } from '../core/session-log.js';

export interface ProgramRecord {
  /** The call that has started each, and what the model knows it by. */
  readonly known: ReadonlyMap<string, number>;
  note(line: SessionLine, isBetweenTurns: boolean): void;
  /** Whether their process was closed since it was last asked. */
  closed(): boolean;
  /** Whether some of them ran until now, of which it is said that they were stopped. */
  stopped(): boolean;
}

export function createProgramRecord(): ProgramRecord {
  const known = new Map<string, number>();
  const running = new Set<number>();
  let hasClosed = false;
  return {
    known,
    note(line, isBetweenTurns) {
      if (line.type === 'program.left') {
        known.set(line.callId, line.session);
        running.add(line.session);
      }
      // When all have ended between two turns, so has the process they ran in.
      if (line.type === 'program.ended' && running.delete(line.session))
        hasClosed = running.size === 0 && isBetweenTurns;
    },
    closed() {
      const has = hasClosed;
      hasClosed = false;
      return has;
    },
    stopped() {
      const were = running.size > 0;
      running.clear();
      return were;
    },
  };
}
