/**
 * A command with a terminal is started by the engine, which is the only one that can bring a terminal inside. Its script
 * goes through a pipe all the same: nothing of it is in an argument list. Ending the engine's program does not end the
 * command, so whoever runs it calls `end`.
 */
import fs from 'node:fs';

import { ToolFailure } from '../../core/errors.js';
import type { AgentLink } from './agent-link.js';
import { enteringCommand } from './agent-program.js';
import { commandProblem, commandScript, refusalText } from './command-script.js';
import type { ScriptedCommand } from './command-script.js';
import { makeNamedPipes, openAtBothEnds, writePipe } from './named-pipes.js';
import type { SlotEntry } from './slot-board.js';
import { sweep } from './start-command.js';

export type TerminalCommand = ScriptedCommand & { readonly mark?: string };

export interface TerminalEntry {
  /** To be run once, in a terminal, with the engine's variables. Ends with the command's exit code. */
  readonly argv: readonly string[];
  /** Why it was not started, once it has ended. */
  refusal(): string | undefined;
  /** Ends the command and everything it started; to be called in any case. */
  end(): Promise<void>;
}

type TerminalOptions = {
  readonly entry: SlotEntry;
  readonly link: AgentLink;
  /** How the engine enters the container with a terminal. */
  readonly enter: readonly string[];
  readonly pipe: string;
};

export async function openTerminal(command: TerminalCommand, options: TerminalOptions): Promise<TerminalEntry> {
  const { entry, link, enter, pipe } = options;
  const problem = commandProblem(command);
  if (problem !== undefined) throw new ToolFailure(problem);
  if (/[\n\0]/.test(command.mark ?? '')) throw new TypeError('a mark is one line');
  await makeNamedPipes([pipe]);
  const input = writePipe(openAtBothEnds(pipe));
  let leader: number | undefined;
  // Not before somebody is there: a pipe that nobody has opened forgets what was written when it is closed.
  void entry.leader.then((found) => {
    leader = found;
    if (found === undefined) input.close();
    else input.finish(commandScript(command));
  });
  return {
    argv: [...enter, ...enteringCommand('terminal'), `${entry.id}`],
    refusal() {
      const reason = entry.refusal();
      return reason === undefined ? undefined : refusalText(reason, command);
    },
    async end() {
      if (leader !== undefined) await sweep(entry, leader, { mark: command.mark, link });
      input.close();
      await fs.promises.rm(pipe, { force: true });
    },
  };
}
