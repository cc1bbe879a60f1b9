/** The commands, their flags and their help. What a command does is loaded only when it is run. */
import { Command, Option } from 'commander';

import { builtinTools } from '../index.js';
import type { CallFlags } from './commands/call.js';
import type { KillFlags } from './commands/kill.js';
import type { PsFlags } from './commands/ps.js';
import type { ToolsFlags } from './commands/tools.js';

declare const TENON_VERSION: string;

export function createProgram(finish: (exitCode: number) => void): Command {
  const program = new Command('tenon')
    .description('The tool-calling runtime for coding agents.')
    .version(`tenon ${TENON_VERSION}`, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', GENERAL_HELP);
  for (const make of [toolsCommand, callCommand, psCommand, killCommand]) program.addCommand(make(finish));
  for (const command of [program, ...program.commands])
    command.exitOverride().showHelpAfterError('(--help shows what is possible)');
  return program;
}

function toolsCommand(finish: (exitCode: number) => void): Command {
  return new Command('tools')
    .description('Show the tools a model would be told of.')
    .addOption(new Option('--wire <wire>', 'API to spell them for').choices(['responses', 'chat']).default('responses'))
    .option('--json', 'print the list as it is sent to the model')
    .addOption(configOption())
    .helpOption('-h, --help', 'show help')
    .addHelpText('after', TOOLS_HELP)
    .action(async (flags: ToolsFlags) => {
      const { showTools } = await import('./commands/tools.js');
      finish(await showTools(flags));
    });
}

function callCommand(finish: (exitCode: number) => void): Command {
  return new Command('call')
    .description('Run one tool call through the whole pipeline and print what the model would get.')
    .argument('<name>', 'the tool')
    .argument('[args]', 'its JSON arguments or free text; - reads them from standard input')
    .option('--json', 'print the events as JSON lines')
    .option('-C, --cd <dir>', 'workspace folder')
    .option('-s, --sandbox <mode>', 'read-only, workspace-write or danger-full-access')
    .option('-a, --ask-for-approval <policy>', 'always, untrusted, on-request, on-failure or never')
    .addOption(configOption())
    .helpOption('-h, --help', 'show help')
    .addHelpText('after', callHelp)
    .action(async (name: string, args: string | undefined, flags: CallFlags) => {
      const { callTool } = await import('./commands/call.js');
      finish(await callTool(name, args, flags));
    });
}

function psCommand(finish: (exitCode: number) => void): Command {
  return new Command('ps')
    .description('List the processes that running Tenons have started, children of children included.')
    .option('--json', 'print one JSON line for each')
    .helpOption('-h, --help', 'show help')
    .addHelpText('after', PS_HELP)
    .action(async (flags: PsFlags) => {
      const { showProcesses } = await import('./commands/ps.js');
      finish(showProcesses(flags));
    });
}

function killCommand(finish: (exitCode: number) => void): Command {
  return new Command('kill')
    .description("End a session's command, or a single process, that a Tenon has started.")
    .argument('<session...>', 'as `tenon ps` shows them')
    .option('--pid', 'the numbers are those of processes')
    .helpOption('-h, --help', 'show help')
    .addHelpText('after', KILL_HELP)
    .action(async (targets: readonly string[], flags: KillFlags) => {
      const { killProcesses } = await import('./commands/kill.js');
      finish(await killProcesses(targets, flags));
    });
}

function configOption(): Option {
  return new Option('-c, --config <key=value>', 'set a configuration value; may be repeated')
    .argParser((value: string, previous: readonly string[]) => [...previous, value])
    .default([], 'none');
}

const GENERAL_HELP = `
Examples:
  tenon tools                   what a model would be told
  tenon call --help             how to run a single tool call
  tenon ps                      what the commands of a model have left running

Files:
  ~/.tenon/config.toml          configuration (the folder can be moved with TENON_HOME)`;

const TOOLS_HELP = `
Examples:
  tenon tools                            names, descriptions and parameters
  tenon tools --wire chat --json         the list as Chat Completions gets it
  tenon tools -c features.shell_tool=false`;

const PS_HELP = `
Examples:
  tenon ps
  tenon ps --json | jq -r .command

OWNER is the process of the Tenon that started it; SESSION the number a model knows it by.`;

const KILL_HELP = `
Examples:
  tenon kill 51234              a session, with everything it started
  tenon kill --pid 4711         one process

Exit codes:
  0 ended   1 no such session or process of a Tenon`;

/** Examples come from the tools themselves, so that no tool is named anywhere but in its own file. */
function callHelp(): string {
  const examples = builtinTools.flatMap(({ spec, example }) =>
    example === undefined ? [] : [`  tenon call ${spec.name} '${example}'`],
  );
  return `
Examples:
${examples.join('\n')}
  echo '{…}' | tenon call NAME -         arguments from standard input
  tenon call NAME '{…}' --json           every event on the way
  tenon call NAME '{…}' -s danger-full-access -C ~/project

Exit codes:
  0 success   1 the tool failed   2 bad usage   3 rejected by policy, user or hook   130 aborted`;
}
