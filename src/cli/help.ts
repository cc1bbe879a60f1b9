/** Examples and what else stands below the flags of each command. */
import { builtinTools } from '../index.js';

export const GENERAL_HELP = `
Examples:
  tenon exec 'fix the tests'    have a model do a task
  tenon resume --last 'PROMPT'  go on where the last session of this folder was left
  tenon sessions list           what was kept of earlier runs
  tenon replay SESSION          play one again, and see where it goes another way
  tenon tools                   what a model would be told
  tenon call --help             how to run a single tool call
  tenon undo                    take back what the last call did to files
  tenon sandbox -- CMD          run a command confined as a model's would be
  tenon policy explain -- 'CMD' what would be allowed, and by which rule
  tenon ps                      what the commands of a model have left running
  tenon trust                   use the settings that a project brings along
  tenon config show --origin    the settings that hold, and where each is set

Files:
  ~/.tenon/config.toml          configuration (the folder can be moved with TENON_HOME)
  .tenon/config.toml            a project's own, once you have trusted its folder`;

export const EXEC_HELP = `
Examples:
  tenon exec 'add a test for the parser'
  git diff | tenon exec 'review this change' -s read-only
  tenon exec - < task.md                              the prompt from standard input
  tenon exec 'what is on it?' -i screenshot.png
  tenon exec --json 'fix the build' | jq -r 'select(.item.type == "command_execution").item.command'
  tenon exec 'list the exports' --output-schema exports.schema.json -o exports.json
  tenon exec --oss 'explain this repository'          with a model of this machine
  tenon exec resume --last 'now the tests'            goes on with the last session of this folder
  tenon exec fork --last 'try it another way'         begins a new one with what was said in it

Progress goes to standard error, the answer alone to standard output. Nobody is asked: what would need a question is
refused, and the model is told so. Only with -a, at a terminal, are you asked.

Exit codes:
  0 done   1 failed, or stopped by a limit   2 bad usage or configuration   130 interrupted`;

export const TOOLS_HELP = `
Examples:
  tenon tools                            names, descriptions and parameters
  tenon tools --wire chat --json         the list as Chat Completions gets it
  tenon tools -c features.shell_tool=false`;

export const APPLY_PATCH_HELP = `
Examples:
  tenon apply-patch < change.patch
  git diff other-branch | tenon apply-patch -C ~/project
  tenon apply-patch '*** Begin Patch
  *** Update File: notes.txt
  @@
  -old line
  +new line
  *** End Patch'
  tenon undo                             takes it back

Takes patches as models write them, and unified diffs as git does. Rules of yours that forbid a file hold here too.

Exit codes:
  0 applied   1 it does not fit, or could not be written; nothing was changed   2 no patch   3 a rule forbids it`;

export const UNDO_HELP = `
Examples:
  tenon undo                             the latest call that changed something
  tenon undo --list                      what can be taken back
  tenon undo CALL                        one of those
  tenon undo --turn                      all that the latest turn did
  tenon undo --diff                      what it did, without taking it back
  tenon undo --redo                      makes it again

No repository is needed. A file that was changed since is not touched: nothing is then, and the files are named. What a
command changed is known for small workspaces; where it is not, the answer says so.

Exit codes:
  0 done   1 refused, or there is nothing to undo   2 wrong flags`;

export const SANDBOX_HELP = `
Examples:
  tenon sandbox -- npm test                              the current folder may be written, no network
  tenon sandbox -s read-only -- make -n
  tenon sandbox --allow-host registry.npmjs.org --allow-write ~/.npm -- npm ci
  tenon sandbox --preview -- ./migrate.sh                what it would change, as a diff; --apply makes it real
  tenon sandbox -C ~/project -- bash                     a shell to look around in
  tenon sandbox probe                                    what works on this machine

When something was blocked, a line on standard error says what, and which flag would allow it.

Exit codes:
  that of the command; 128 + the number of the signal that ended it; 125 when it could not be started, 127 when there
  is no such program, 3 when it could not be confined`;

export const PROBE_HELP = `
Examples:
  tenon sandbox probe
  tenon sandbox probe --json | jq -r 'select(.chosen).name'

Exit codes:
  0 commands can be confined   1 they cannot`;

export const CONFIG_HELP = `
Examples:
  tenon config show --origin             what holds, and where it is set
  tenon config set model gpt-5.5
  tenon config check

Files, from the least to the most that counts:
  ~/.tenon/config.toml          your settings
  .tenon/config.toml            a project's own, once \`tenon trust\` has allowed them
  ~/.tenon/NAME.config.toml     a profile, as \`[profiles.NAME]\` in config.toml is; chosen with -p NAME`;

export const CONFIG_SHOW_HELP = `
Examples:
  tenon config show                      all that holds here
  tenon config show --origin features    one table, with where each value is set
  tenon config show model                one value alone, for scripts
  tenon config show --json | jq .sandbox_mode
  tenon config show --origin -p work -c model=gpt-5.5

Values that look like keys and passwords, and those of http_headers, are not shown.

Exit codes:
  0 shown   1 it is not set   2 bad usage or configuration`;

export const CONFIG_SET_HELP = `
Examples:
  tenon config set model gpt-5.5
  tenon config set features.undo false
  tenon config set 'model_prices."gpt-5.5"' '{ input = 1.25, output = 10 }'
  tenon config set sandbox.hide '["~/notes"]'
  tenon config set --project sandbox_mode read-only

Comments, order and spaces in the file stay as they are. A value that does not fit is refused, and nothing is written.

Exit codes:
  0 set   2 refused`;

export const POLICY_HELP = `
Examples:
  tenon policy explain -- 'npm test | tail -5'
  tenon policy test

Files:
  ~/.tenon/rules/*.toml         your rules
  .tenon/rules/*.toml           a project's own, once \`tenon trust\` has allowed them`;

export const EXPLAIN_HELP = `
Examples:
  tenon policy explain -- 'git add -A && git push'      a script, as a model writes it
  tenon policy explain -- git push origin main          a program with its arguments
  tenon policy explain --read ~/.ssh/id_rsa --write notes.txt
  tenon policy explain --connect example.com --mcp github/create_issue
  tenon policy explain -a untrusted --json -- 'make'`;

export const CHECK_HELP = `
Exit codes:
  0 all as it should be   1 there are problems   2 bad usage`;

export const PS_HELP = `
Examples:
  tenon ps
  tenon ps --json | jq -r .command

OWNER is the process of the Tenon that started it; SESSION the number a model knows it by.`;

export const KILL_HELP = `
Examples:
  tenon kill 51234              a session, with everything it started
  tenon kill --pid 4711         one process

Exit codes:
  0 ended   1 no such session or process of a Tenon`;

export const TRUST_HELP = `
Examples:
  tenon trust                   the project of the current folder
  tenon trust ~/project
  tenon trust --revoke ~/project
  tenon trust --list --json | jq -r .folder

A trusted project's settings count as your own: read them before you trust it.

Exit codes:
  0 done   1 it was not trusted, or config.toml says otherwise   2 bad usage`;

/** Examples come from the tools themselves, so that no tool is named anywhere but in its own file. */
export function callHelp(): string {
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
