/** Who was started and still runs. Every command is claimed here before it starts, so that none can be forgotten. */
import { Aborted } from '../core/errors.js';
import type { ProcessInfo, ProcessOwner } from '../core/workspace.js';
import { endProcesses } from './end-processes.js';
import { startKeeper } from './keeper.js';
import type { Keeper } from './keeper.js';
import { signalGroup } from './launch.js';
import { inheritedMark, isSame, markedEnvironment, ownedProcesses } from './owned-processes.js';
import type { OwnerMark } from './owned-processes.js';
import { statOf } from './process-table.js';

export interface Ledger extends ProcessOwner {
  /** Before a command is started. */
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

type Entry = { readonly mark: OwnerMark; readonly ended: boolean };

export function createLedger(owner: string): Ledger {
  /** By the pid of each command's first process, which leads its session. */
  const commands = new Map<number, Entry>();
  let keeper: Promise<Keeper | undefined> = Promise.resolve(undefined);
  let claims = 0;
  let closed = false;

  /** One for all: whoever comes while it is being started waits for the same. */
  function liveKeeper(): Promise<Keeper> {
    const live = keeper.then((known) => (known?.alive ? known : newKeeper()));
    keeper = live;
    return live;
  }

  async function newKeeper(): Promise<Keeper> {
    const fresh = await startKeeper(owner);
    for (const [pid, { ended }] of commands) (ended ? fresh.leftBehind : fresh.started)(pid);
    return fresh;
  }

  /** Forgets commands of which nothing is left, before their numbers are given to others. */
  function forgetEnded({ ended: forget }: Keeper): void {
    for (const [pid, { ended }] of commands) {
      if (!ended || signalGroup(pid, 0)) continue;
      commands.delete(pid);
      forget(pid);
    }
  }

  /** Sessions that are surely ours: the number of one whose leader has ended may belong to a new process by now. */
  function ourSessions(): Map<number, OwnerMark> {
    const ours = [...commands].filter(([pid, { ended }]) => !ended || statOf(pid) === undefined);
    return new Map(ours.map(([pid, { mark }]) => [pid, mark]));
  }

  function findAll(wanted: (mark: OwnerMark) => boolean): readonly ProcessInfo[] {
    return ownedProcesses(ourSessions()).flatMap(({ marks, ...info }) => {
      const mark = marks.find(wanted);
      return mark === undefined ? [] : [{ ...info, label: mark.label }];
    });
  }

  return {
    async claim(label) {
      if (closed) throw new Aborted();
      claims += 1;
      const mark = { owner, label: label ?? `c${claims}` };
      const current = await liveKeeper();
      forgetEnded(current);
      let leader: number | undefined;
      return {
        env: markedEnvironment(mark, inheritedMark()),
        started(pid) {
          if (pid === undefined) return;
          leader = pid;
          commands.set(pid, { mark, ended: false });
          current.started(pid);
        },
        ended() {
          if (leader === undefined || closed) return;
          commands.set(leader, { mark, ended: true });
          if (signalGroup(leader, 0)) current.leftBehind(leader);
          else forgetEnded(current);
        },
        async end() {
          if (closed) return;
          if (leader !== undefined && ourSessions().has(leader)) signalGroup(leader, 'SIGKILL');
          await endProcesses(() => findAll((each) => isSame(each, mark)));
        },
      };
    },
    async processes() {
      return findAll((mark) => mark.owner === owner);
    },
    async close() {
      closed = true;
      for (const pid of ourSessions().keys()) signalGroup(pid, 'SIGKILL');
      commands.clear();
      await (await keeper)?.sweep();
    },
  };
}
