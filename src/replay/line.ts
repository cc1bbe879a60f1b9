/** The lines of a session by their type, and records that are still being written. */
import type { SessionLine } from '../core/session-log.js';

export type Line<Type extends SessionLine['type']> = Extract<SessionLine, { type: Type }>;

/** What others may only read. */
export type Draft<Value> = {
  -readonly [Key in keyof Value]: Value[Key] extends readonly (infer Item)[] ? Item[] : Value[Key];
};
