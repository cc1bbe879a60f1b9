/** The commands, their flags and their help. What a command does is loaded only when it is run. */
import { Command, Option } from 'commander';

import type { ApplyPatchFlags } from './commands/apply-patch.js';
import type { CallFlags } from './commands/call.js';
import type { CheckFlags } from './commands/check-rules.js';
import type { ExplainFlags } from './commands/explain.js';
import type { KillFlags } from './commands/kill.js';
import type { ProbeFlags } from './commands/probe-sandbox.js';
import type { PsFlags } from './commands/ps.js';
import type { SandboxFlags } from './commands/sandbox.js';
import type { ToolsFlags } from './commands/tools.js';
import type { TrustFlags } from './commands/trust.js';
import type { UndoFlags } from './commands/undo.js';

import {
  APPLY_PATCH_HELP,
  CHECK_HELP,
  EXPLAIN_HELP,
  GENERAL_HELP,
  KILL_HELP,
  POLICY_HELP,
  PROBE_HELP,
  PS_HELP,
  SANDBOX_HELP,
  TOOLS_HELP,
  TRUST_HELP,
  UNDO_HELP,
  callHelp,
} from './help.js';
import { configCommand } from './config-command.js';
import { execCommand } from './exec/exec-command.js';
import {
  approvalOption,
  configOption,
  folderOption,
  profileOption,
  repeated,
  sandboxOption,
  strictOption,
} from './options.js';
import { replayCommand } from './replay-command.js';
import { forkCommand, resumeCommand } from './sessions/resume-command.js';
import { sessionsCommand } from './sessions/sessions-command.js';

declare const TENON_VERSION: string;

/** With the command that is asked for, or with all of them when that is not one: only help needs to know them all. */
export function createProgram(finish: (exitCode: number) => void, asked = ''): Command {
  const program = new Command('tenon')
    .description('The tool-calling runtime for coding agents.')
    .version(`tenon ${TENON_VERSION}`, '-V, --version', 'print the version')
    .helpCommand('help [command]', 'show help for a command')
    .enablePositionalOptions()
    .addHelpText('after', GENERAL_HELP);
  const one = COMMANDS.find(([name]) => name === asked);
  for (const [, make] of one ? [one] : COMMANDS) program.addCommand(make(finish));
  for (const command of withParts(program))
    command.exitOverride().showHelpAfterError('(--help shows what is possible)').helpOption('-h, --help', 'show help');
  return program;
}

const COMMANDS = [
  ['exec', execCommand],
  ['resume', resumeCommand],
  ['fork', forkCommand],
  ['sessions', sessionsCommand],
  ['replay', replayCommand],
  ['tools', toolsCommand],
  ['call', callCommand],
  ['apply-patch', applyPatchCommand],
  ['undo', undoCommand],
  ['sandbox', sandboxCommand],
  ['policy', policyCommand],
  ['config', configCommand],
  ['trust', trustCommand],
  ['ps', psCommand],
  ['kill', killCommand],
] as const;

function withParts(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withParts)];
}

function toolsCommand(finish: (exitCode: number) => void): Command {
  return new Command('tools')
    .description('Show the tools a model would be told of.')
    .addOption(new Option('--wire <wire>', 'API to spell them for').choices(['responses', 'chat']).default('responses'))
    .option('--json', 'print the list as it is sent to the model')
    .addOption(configOption())
    .addOption(profileOption())
    .addOption(strictOption())
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
    .addOption(folderOption())
    .addOption(sandboxOption())
    .addOption(approvalOption())
    .addOption(configOption())
    .addOption(profileOption())
    .addOption(strictOption())
    .addHelpText('after', callHelp)
    .action(async (name: string, args: string | undefined, flags: CallFlags) => {
      const { callTool } = await import('./commands/call.js');
      finish(await callTool(name, args, flags));
    });
}

function applyPatchCommand(finish: (exitCode: number) => void): Command {
  return new Command('apply-patch')
    .description('Apply a patch to files: all of it or nothing.')
    .argument('[patch]', 'the patch; without it, or with -, it is read from standard input')
    .addOption(new Option('-C, --cd <dir>', 'folder that the paths in it count from'))
    .addHelpText('after', APPLY_PATCH_HELP)
    .action(async (patch: string | undefined, flags: ApplyPatchFlags) => {
      const { applyPatchHere } = await import('./commands/apply-patch.js');
      finish(await applyPatchHere(patch, flags));
    });
}

function undoCommand(finish: (exitCode: number) => void): Command {
  return new Command('undo')
    .description('Take back what a call did to files: the latest one, or the one that is named.')
    .argument('[call]', 'its id, as --list shows it')
    .option('--turn', 'all that its whole turn did')
    .option('--list', 'show what is on record, the newest first')
    .option('--redo', 'take the latest undo back')
    .option('--diff', 'show what was done as a diff, and change nothing')
    .option('--json', 'print JSON')
    .addOption(folderOption())
    .addHelpText('after', UNDO_HELP)
    .action(async (call: string | undefined, flags: UndoFlags) => {
      const { undoChanges } = await import('./commands/undo.js');
      finish(await undoChanges(call, flags));
    });
}

function sandboxCommand(finish: (exitCode: number) => void): Command {
  return new Command('sandbox')
    .description("Run a command of your own in the sandbox that a model's commands get.")
    .usage('[options] -- <command...>')
    .argument('[command...]', 'after --: a program with its arguments')
    .addOption(sandboxOption())
    .option('--backend <name>', 'auto, cell, bubblewrap, landlock, seatbelt, docker, chroot or vm')
    .addOption(repeated('--allow-write <path>', 'a file or folder that may be written; may be repeated'))
    .addOption(repeated('--allow-host <host>', 'a host that may be reached; may be repeated'))
    .option('--preview', 'run it on a copy of the folder and show what it would change there')
    .option('--apply', 'the same, and then make the changes, unless it failed')
    .option('--no-watch', 'do not note which files it tries to change; faster')
    .addOption(folderOption())
    .addOption(configOption())
    .addOption(profileOption())
    .addOption(strictOption())
    .addHelpText('after', SANDBOX_HELP)
    .passThroughOptions()
    .action(async (command: readonly string[], flags: SandboxFlags) => {
      const { runInSandbox } = await import('./commands/sandbox.js');
      finish(await runInSandbox(command, flags));
    })
    .addCommand(probeCommand(finish))
    .helpCommand(false);
}

function probeCommand(finish: (exitCode: number) => void): Command {
  return new Command('probe')
    .description('Show what can confine commands on this machine, and what each covers.')
    .option('--json', 'print one JSON line for each')
    .addOption(folderOption())
    .addOption(sandboxOption())
    .addOption(configOption())
    .addOption(profileOption())
    .addOption(strictOption())
    .addHelpText('after', PROBE_HELP)
    .action(async (flags: ProbeFlags, probe: Command) => {
      const { probeSandbox } = await import('./commands/probe-sandbox.js');
      // What stands before the word holds as well.
      const before = probe.parent?.opts<ProbeFlags>();
      const config = [...(before?.config ?? []), ...flags.config];
      finish(await probeSandbox({ ...before, ...flags, config }));
    });
}

function psCommand(finish: (exitCode: number) => void): Command {
  return new Command('ps')
    .description('List the processes that running Tenons have started, children of children included.')
    .option('--json', 'print one JSON line for each')
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
    .addHelpText('after', KILL_HELP)
    .action(async (targets: readonly string[], flags: KillFlags) => {
      const { killProcesses } = await import('./commands/kill.js');
      finish(await killProcesses(targets, flags));
    });
}

function trustCommand(finish: (exitCode: number) => void): Command {
  return new Command('trust')
    .description("Allow a project's own settings (its .tenon folder) to be used.")
    .argument('[dir]', 'a folder of the project; without it, the current one')
    .option('--revoke', 'no longer allow them')
    .addOption(new Option('--list', 'show which folders are trusted').conflicts('revoke'))
    .option('--json', 'with --list: print one JSON line for each')
    .addHelpText('after', TRUST_HELP)
    .action(async (folder: string | undefined, flags: TrustFlags) => {
      const { changeTrust } = await import('./commands/trust.js');
      finish(await changeTrust(folder, flags));
    });
}

function policyCommand(finish: (exitCode: number) => void): Command {
  return new Command('policy')
    .description('Show what the policy says, and check the rules it goes by.')
    .helpCommand(false)
    .addCommand(explainCommand(finish))
    .addCommand(testRulesCommand(finish))
    .addCommand(checkFileCommand(finish))
    .addHelpText('after', POLICY_HELP);
}

function explainCommand(finish: (exitCode: number) => void): Command {
  return new Command('explain')
    .description('Show the verdict on something, part by part, without doing it.')
    .argument('[command...]', 'after --: a script as one word, or a program with its arguments')
    .addOption(repeated('--read <path>', 'a file that would be read'))
    .addOption(repeated('--write <path>', 'a file that would be written'))
    .addOption(repeated('--connect <host>', 'a host that would be spoken to'))
    .addOption(repeated('--mcp <server/tool>', 'a tool of an MCP server that would be called'))
    .option('--escalate <why>', 'as if the model asked to leave the sandbox')
    .option('--json', 'print the verdict as JSON')
    .addOption(folderOption())
    .addOption(sandboxOption())
    .addOption(approvalOption())
    .addOption(configOption())
    .addOption(profileOption())
    .addOption(strictOption())
    .addHelpText('after', EXPLAIN_HELP)
    .action(async (command: readonly string[], flags: ExplainFlags) => {
      const { explain } = await import('./commands/explain.js');
      finish(await explain(command, flags));
    });
}

function testRulesCommand(finish: (exitCode: number) => void): Command {
  return new Command('test')
    .description('Hold every rule against its examples.')
    .addOption(folderOption())
    .option('--json', 'print one JSON line for each file')
    .addHelpText('after', CHECK_HELP)
    .action(async (flags: CheckFlags) => {
      const { testRules } = await import('./commands/check-rules.js');
      finish(await testRules(flags));
    });
}

function checkFileCommand(finish: (exitCode: number) => void): Command {
  return new Command('check')
    .description('Check one file of rules, wherever it is.')
    .argument('<file>', 'the file')
    .addOption(folderOption())
    .option('--json', 'print the result as JSON')
    .addHelpText('after', CHECK_HELP)
    .action(async (file: string, flags: CheckFlags) => {
      const { checkFile } = await import('./commands/check-rules.js');
      finish(await checkFile(file, flags));
    });
}
