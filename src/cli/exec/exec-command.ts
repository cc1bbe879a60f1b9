/** `tenon exec` as the command line has it. What it does is loaded when it is run. */
import { Command } from 'commander';

import { EXEC_HELP } from '../help.js';
import { execForkCommand, execResumeCommand } from '../sessions/resume-command.js';
import { UsageError } from '../usage-error.js';
import { execOptions } from './exec-options.js';
import type { ExecFlags } from './flags.js';

export function execCommand(finish: (exitCode: number) => void): Command {
  const command = new Command('exec')
    .alias('e')
    .description('Have a model do a task, without anybody at the screen.')
    .usage('[options] [prompt]')
    .argument('[prompt]', 'what to do; without it, or with -, it is read from standard input')
    .helpCommand(false)
    .addCommand(execResumeCommand(finish))
    .addCommand(execForkCommand(finish))
    .addCommand(missingCommand('review'), { hidden: true });
  for (const option of execOptions()) command.addOption(option);
  return command.addHelpText('after', EXEC_HELP).action(async (prompt: string | undefined, flags: ExecFlags) => {
    const { runAgent } = await import('../commands/exec.js');
    finish(await runAgent(prompt, flags));
  });
}

/** Scripts mean it as a command. A model that got the word as its task would do whatever it makes of it. */
function missingCommand(name: string): Command {
  return new Command(name)
    .description(`There is no \`tenon exec ${name}\` yet.`)
    .argument('[rest...]')
    .allowUnknownOption()
    .action(() => {
      throw new UsageError(
        `there is no \`tenon exec ${name}\` yet. To have a model told just that word, pass it on standard input: echo ${name} | tenon exec -`,
      );
    });
}
