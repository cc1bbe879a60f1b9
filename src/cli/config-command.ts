/** `tenon config` as the command line has it. What its parts do is loaded when they are run. */
import { Command } from 'commander';

import type { CheckConfigFlags, FileFlags, ShowFlags } from './commands/config.js';
import { CHECK_HELP, CONFIG_HELP, CONFIG_SET_HELP, CONFIG_SHOW_HELP } from './help.js';
import { approvalOption, configOption, folderOption, profileOption, sandboxOption, strictOption } from './options.js';

type Finish = (exitCode: number) => void;

export function configCommand(finish: Finish): Command {
  return new Command('config')
    .description('Show, check and change settings.')
    .helpCommand(false)
    .addCommand(showCommand(finish))
    .addCommand(setCommand(finish))
    .addCommand(checkCommand(finish))
    .addCommand(pathCommand(finish))
    .addHelpText('after', CONFIG_HELP);
}

function showCommand(finish: Finish): Command {
  return new Command('show')
    .description('Show the settings that hold, and where each comes from.')
    .argument('[key]', 'one setting, or a table of them')
    .option('--origin', 'say where each value comes from')
    .option('--json', 'print JSON: all of them, or with --origin one line for each')
    .addOption(folderOption())
    .addOption(sandboxOption())
    .addOption(approvalOption())
    .addOption(configOption())
    .addOption(profileOption())
    .addOption(strictOption())
    .addHelpText('after', CONFIG_SHOW_HELP)
    .action(async (key: string | undefined, flags: ShowFlags) => {
      const { showConfig } = await import('./commands/config.js');
      finish(await showConfig(key, flags));
    });
}

function setCommand(finish: Finish): Command {
  return new Command('set')
    .description('Set a value in config.toml, and leave the rest of the file as it is.')
    .argument('<key>', 'such as model, or features.undo')
    .argument('<value>', 'as in TOML; a bare word is taken as a text')
    .option('--project', "in the project's own file, not in yours")
    .addOption(folderOption())
    .addHelpText('after', CONFIG_SET_HELP)
    .action(async (key: string, value: string, flags: FileFlags) => {
      const { setConfig } = await import('./commands/config.js');
      finish(await setConfig(key, value, flags));
    });
}

function checkCommand(finish: Finish): Command {
  return new Command('check')
    .description('Say everything that is wrong with the settings.')
    .option('--json', 'print the result as JSON')
    .addOption(folderOption())
    .addOption(configOption())
    .addOption(profileOption())
    .addHelpText('after', CHECK_HELP)
    .action(async (flags: CheckConfigFlags) => {
      const { checkSettings } = await import('./commands/config.js');
      finish(await checkSettings(flags));
    });
}

function pathCommand(finish: Finish): Command {
  return new Command('path')
    .description('Print where config.toml is.')
    .option('--project', "the project's own")
    .addOption(folderOption())
    .action(async (flags: FileFlags) => {
      const { showPath } = await import('./commands/config.js');
      finish(showPath(flags));
    });
}
