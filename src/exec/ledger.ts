/** Who was started and still runs. Every command is claimed here before it starts, so that none can be forgotten. */
import { Aborted } from '../core/errors.js';
import type { ProcessInfo, ProcessOwner } from '../core/workspace.js';
import { endProcesses } from './end-processes.js';
import { startKeeper } from './keeper.js';
import type { Keeper } from './keeper.js';
import { signalGroup } from './launch.js';
import { inheritedMark, isSame, markedEnvironment, ownedProcesses, sessionsAmong } from './owned-processes.js';
import type { CommandEntry, OwnerMark } from './owned-processes.js';
import { allStats, ticksNow } from './process-table.js';

/** Commands that have ended are looked after this many at a time, because looking costs as much for one. */
const MOST_ENDED = 128;

export interface Ledger extends ProcessOwner {
  /** Before a command is started. Throws when nobody could end what it may leave behind. */
  claim(label: string | undefined): Promise<Claim>;
}

export interface Claim {
  /** What marks the command and everything it will start. */
  readonly env: Readonly<Record<string, string>>;
  started(pid: number | undefined): void;
  /** The command itself has ended; what it left running stays on the list. */
  ended(): void;
  /** Kills the command and all it has started. */
  end(): Promise<void>;
}

/** `folder` holds files of the runtime that are to be removed in the end. */
export function createLedger(owner: string, folder: string): Ledger {
  /** By the pid of each command's first process, which leads its session. */
  const commands = new Map<number, CommandEntry>();
  let keeper: Promise<Keeper | undefined> = Promise.resolve(undefined);
  /** The one to talk to: a keeper may be replaced while commands run. */
  let current: Keeper | undefined;
  let claims = 0;
  let lookAt = MOST_ENDED;
  let closed = false;
  let closing: Promise<void> | undefined;

  /** One for all: whoever comes while it is being started waits for the same. One that failed is tried again. */
  function liveKeeper(): Promise<Keeper> {
    const live = keeper.catch(() => undefined).then((known) => (known?.alive ? known : newKeeper()));
    keeper = live;
    return live;
  }

  async function newKeeper(): Promise<Keeper> {
    const fresh = await startKeeper(owner, folder);
    current = fresh;
    for (const [pid, { endedAt }] of commands) {
      if (endedAt === undefined) fresh.started(pid);
      else fresh.ended(pid, endedAt);
    }
    return fresh;
  }

  /** Forgets commands of which nothing is left. */
  function forgetEnded(): void {
    const ended = [...commands].filter(([, { endedAt }]) => endedAt !== undefined);
    if (ended.length < lookAt) return;
    const alive = sessionsAmong(allStats(), commands);
    const gone = ended.map(([pid]) => pid).filter((pid) => !alive.has(pid));
    for (const pid of gone) commands.delete(pid);
    current?.forget(gone);
    lookAt = ended.length - gone.length + MOST_ENDED;
    // Whoever is in a session now is as much a witness as who was there when its command ended.
    for (const pid of alive.keys()) if (commands.get(pid)?.endedAt !== undefined) noteEnd(pid);
  }

  function noteEnd(pid: number): void {
    const entry = commands.get(pid);
    if (entry === undefined) return;
    const endedAt = ticksNow();
    commands.set(pid, { ...entry, endedAt });
    current?.ended(pid, endedAt);
  }

  function findAll(wanted: (mark: OwnerMark) => boolean): readonly ProcessInfo[] {
    return ownedProcesses(commands).flatMap(({ marks, ...info }) => {
      const mark = marks.find(wanted);
      return mark === undefined ? [] : [{ ...info, label: mark.label }];
    });
  }

  /** A keeper that was killed is replaced; where none can be started, we do its work as long as we live. */
  async function endEverything(): Promise<void> {
    if (claims === 0) return;
    try {
      await (await liveKeeper()).sweep();
    } catch {
      await endProcesses(() => findAll((mark) => mark.owner === owner));
    }
  }

  return {
    async claim(label) {
      if (closed) throw new Aborted();
      claims += 1;
      const mark = { owner, label: label ?? `c${claims}` };
      await liveKeeper();
      if (closed) throw new Aborted();
      forgetEnded();
      let leader: number | undefined;
      return {
        env: markedEnvironment(mark, inheritedMark()),
        started(pid) {
          if (pid === undefined) return;
          leader = pid;
          commands.set(pid, { mark });
          current?.started(pid);
          if (!closed) return;
          // It was on its way while everything else was ended, and may have started something by now.
          signalGroup(pid, 'SIGKILL');
          void endProcesses(() => findAll((each) => isSame(each, mark)));
        },
        ended() {
          if (leader !== undefined && !closed) noteEnd(leader);
        },
        async end() {
          if (!closed) await endProcesses(() => findAll((each) => isSame(each, mark)));
        },
      };
    },
    async processes() {
      return findAll((mark) => mark.owner === owner);
    },
    close() {
      closed = true;
      return (closing ??= endEverything());
    },
  };
}
