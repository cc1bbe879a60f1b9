/** Starts commands through an agent. */
import { abortOf } from '../../core/abort.js';
import { Aborted, isOwnError, messageOf } from '../../core/errors.js';
import type { Process, ProcessExit } from '../../core/workspace.js';
import type { AgentLink } from './agent-link.js';
import { commandProblem } from './command-script.js';
import type { SlotBoard } from './slot-board.js';
import { closeSlot, createSlotSupply } from './slot-supply.js';
import type { SlotSupply } from './slot-supply.js';
import { startCommand } from './start-command.js';
import type { ContainerCommand } from './start-command.js';

export interface Commands {
  /** A program that cannot be started is an `Exit`, not an exception. */
  spawn(command: ContainerCommand): Promise<Process>;
  /** To be called when the agent has ended. */
  close(): Promise<void>;
}

type CommandsOptions = { readonly folder: string; readonly link: AgentLink; readonly board: SlotBoard };

export function createCommands({ folder, link, board }: CommandsOptions): Commands {
  const slots = createSlotSupply({ folder, link, board });
  return {
    async spawn(command) {
      try {
        return await start(command, slots, link);
      } catch (error) {
        if (isOwnError(error)) throw error;
        return notStarted(messageOf(error));
      }
    },
    close: () => slots.close(),
  };
}

async function start(command: ContainerCommand, slots: SlotSupply, link: AgentLink): Promise<Process> {
  const { signal, mark = '' } = command;
  const problem = commandProblem(command);
  if (problem !== undefined) return notStarted(problem);
  if (/[\n\0]/.test(mark)) throw new TypeError('a mark is one line');
  if (signal?.aborted) throw new Aborted();
  const taken = slots.take();
  const slot = await (signal ? Promise.race([taken, abortOf(signal)]) : taken).catch((error: unknown) => {
    void taken.then(closeSlot, () => {});
    throw error;
  });
  return startCommand(slot, command, link);
}

function notStarted(reason: string): Process {
  const exit: Promise<ProcessExit> = Promise.resolve({ kind: 'not_started', reason });
  return { pid: undefined, exit, interrupt: () => {}, end: async () => {} };
}
