/** The flags of `tenon replay` as the command line has them. What it does is loaded when it is run. */
import { Command, Option } from 'commander';

import type { ReplayFlags } from './commands/replay.js';
import {
  approvalOption,
  configOption,
  folderOption,
  profileOption,
  repeated,
  sandboxOption,
  strictOption,
} from './options.js';

export function replayCommand(finish: (exitCode: number) => void): Command {
  const command = new Command('replay')
    .description('Play a recorded session again, and show where it goes another way.')
    .argument('<recording>', 'a file, or a kept session: its id, the beginning of one, or its name');
  for (const option of [...howToPlay(), ...underWhichPolicy()]) command.addOption(option);
  return command.addHelpText('after', REPLAY_HELP).action(async (recording: string, flags: ReplayFlags) => {
    const { replay } = await import('./commands/replay.js');
    finish(await replay(recording, flags));
  });
}

function howToPlay(): readonly Option[] {
  return [
    new Option('--tools <which>', 'run the tools, or have each give what it gave')
      .choices(['real', 'recorded'])
      .default('real'),
    repeated('--ignore <regex>', 'what else may differ; may be repeated'),
    new Option('--no-prompt-check', 'do not compare what the model is told beside the words of the user'),
    new Option('--trust', 'give a file the rights it was recorded with, and its yes to questions'),
    new Option('--stop', 'end at the first difference'),
    new Option('--json', 'print each difference as a JSON line, and the counts as the last one'),
    new Option('--color <when>', 'colours in the progress').choices(['auto', 'always', 'never']).default('auto'),
  ];
}

function underWhichPolicy(): readonly Option[] {
  return [
    folderOption(),
    sandboxOption(),
    approvalOption(),
    configOption(),
    profileOption(),
    strictOption(),
    new Option('--ignore-user-config', 'do not read your config.toml'),
    new Option('--ignore-rules', 'do not read any rules'),
  ];
}

const REPLAY_HELP = `
The model says what it said; everything else is real: the tools, the policy, the sandbox. What your settings and rules
say today counts, so a session becomes a test for them. Work on a copy: the calls change files once more.

Examples:
  tenon exec --record fix.jsonl 'make the tests pass'
  tenon replay fix.jsonl -C copy-of-the-project
  tenon replay fix.jsonl --tools recorded              nothing is run; only what is asked and allowed is compared
  tenon replay fix.jsonl -C copy -s read-only          what would a stricter policy have stopped?
  tenon replay fix.jsonl --trust                       with the folders, the network or the yes that it had
  tenon replay fix.jsonl --ignore 'v\\d+\\.\\d+\\.\\d+' --no-prompt-check

Exit codes:
  0 the same   1 there are differences   2 bad usage   130 interrupted`;
