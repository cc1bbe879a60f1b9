/** Who starts programs in our place: the system copies all that a process has to start another one, and we have much. */
import type { ProcessExit } from './workspace.js';

export interface Spawner {
  /**
   * Starts it in a session of its own, without input. Undefined when it could not be: then nothing has been started, and
   * whoever tries it otherwise learns why. Throws when nobody knows whether it was.
   */
  start(request: SpawnRequest): Promise<Spawned | undefined>;
  /** Makes named pipes for the user alone. False when not all could be made. */
  makePipes(names: readonly string[]): Promise<boolean>;
  close(): Promise<void>;
}

export type SpawnRequest = {
  /** With the whole path of the program in front. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The descriptor of ours to which its output goes. */
  readonly output: number;
  /** The one to which goes what it says about errors. Default: the same. */
  readonly errors?: number;
  /** Those that it gets from 3 on. */
  readonly descriptors: readonly number[];
};

export type Spawned = { readonly pid: number; readonly exit: Promise<ProcessExit> };
