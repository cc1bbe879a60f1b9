/**
 * `tenon resume` and `tenon fork` for people, and the same below `tenon exec` for scripts, as the command line has them.
 * There the flags are those of `exec`, which takes them before and after the word.
 */
import { Command } from 'commander';

import type { ForkFlags } from '../commands/fork.js';
import type { ResumeFlags } from '../commands/resume.js';
import { execOptions } from '../exec/exec-options.js';
import { SESSION, anyFolderOption, lastOption } from './choice-options.js';
import { EXEC_FORK_HELP, EXEC_RESUME_HELP, FORK_HELP, RESUME_HELP } from './help.js';

type Finish = (exitCode: number) => void;

/** What differs between people and scripts: whether anybody may be asked something. */
type Audience = { readonly asks: boolean };

export function resumeCommand(finish: Finish): Command {
  return withExecOptions(resume(finish, { asks: true })).addHelpText('after', RESUME_HELP);
}

export function forkCommand(finish: Finish): Command {
  return withExecOptions(fork(finish, { asks: true })).addHelpText('after', FORK_HELP);
}

export function execResumeCommand(finish: Finish): Command {
  return resume(finish, { asks: false }).configureHelp(WITH_EXEC_FLAGS).addHelpText('after', EXEC_RESUME_HELP);
}

export function execForkCommand(finish: Finish): Command {
  return fork(finish, { asks: false }).configureHelp(WITH_EXEC_FLAGS).addHelpText('after', EXEC_FORK_HELP);
}

const WITH_EXEC_FLAGS = { showGlobalOptions: true };

function withExecOptions(command: Command): Command {
  for (const option of execOptions()) command.addOption(option);
  return command;
}

function resume(finish: Finish, { asks }: Audience): Command {
  return choosing(new Command('resume'))
    .description('Go on with a session that was kept.')
    .action(async (first: string | undefined, second: string | undefined, _: object, command: Command) => {
      const { resumeSession } = await import('../commands/resume.js');
      finish(await resumeSession([first, second], command.optsWithGlobals<ResumeFlags>(), asks));
    });
}

function fork(finish: Finish, { asks }: Audience): Command {
  return choosing(new Command('fork'))
    .description('Begin a new session with what was said in another one.')
    .option('--turns <number>', 'only its first turns')
    .action(async (first: string | undefined, second: string | undefined, _: object, command: Command) => {
      const { forkSession } = await import('../commands/fork.js');
      finish(await forkSession([first, second], command.optsWithGlobals<ForkFlags>(), asks));
    });
}

function choosing(command: Command): Command {
  return command
    .argument('[session]', SESSION)
    .argument('[prompt]', 'what to do; - reads it from standard input')
    .addOption(lastOption('; the only word is then the prompt'))
    .addOption(anyFolderOption());
}
