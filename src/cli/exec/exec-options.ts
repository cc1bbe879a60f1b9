/** The flags of `tenon exec` as the command line has them; commands that go on with a session have them too. */
import { Option } from 'commander';

import { approvalOption, configOption, folderOption, repeated, sandboxOption } from '../options.js';

export function execOptions(): readonly Option[] {
  return [...modelOptions(), ...accessOptions(), ...outputOptions(), ...configOptions()];
}

function modelOptions(): readonly Option[] {
  return [
    new Option('-m, --model <model>', 'the model to ask'),
    new Option('--oss', 'a model of this machine: Ollama, LM Studio, llama.cpp or vLLM, whichever runs'),
    new Option('--local-provider <name>', 'the same, from this one'),
    repeated('-i, --image <file>', 'an image that belongs to the prompt; may be repeated, or a list with commas'),
    new Option('--output-schema <file>', 'a JSON schema that the answer has to follow'),
    new Option('--search', 'let the model search the web'),
    new Option('--max-requests <number>', 'how often the model may be asked'),
    new Option('--max-time <seconds>', 'how long it may take'),
  ];
}

function accessOptions(): readonly Option[] {
  return [
    folderOption(),
    repeated('--add-dir <dir>', 'another folder that may be written to; may be repeated'),
    sandboxOption(),
    approvalOption(),
    new Option('--full-auto', 'the same as --sandbox workspace-write'),
    new Option('--yolo, --dangerously-bypass-approvals-and-sandbox', 'no sandbox and no questions').conflicts([
      'fullAuto',
      'sandbox',
      'askForApproval',
    ]),
    // Whoever is used to needing them may say so: no folder has to be a repository here, and no hook is run yet.
    new Option('--skip-git-repo-check').hideHelp(),
    new Option('--dangerously-bypass-hook-trust').hideHelp(),
  ];
}

function outputOptions(): readonly Option[] {
  return [
    new Option('--json', 'print what happens as JSON lines'),
    new Option('--experimental-json').hideHelp(),
    new Option('-o, --output-last-message <file>', 'write the answer to this file too'),
    new Option('--color <when>', 'colours in the progress').choices(['auto', 'always', 'never']).default('auto'),
  ];
}

function configOptions(): readonly Option[] {
  return [
    configOption(),
    new Option('-p, --profile <name>', 'a profile of the configuration'),
    repeated('--enable <feature>', 'the same as -c features.<feature>=true; may be repeated'),
    repeated('--disable <feature>', 'the same as -c features.<feature>=false; may be repeated'),
    new Option('--strict-config', 'refuse keys that nobody knows'),
    new Option('--ignore-user-config', 'do not read your config.toml'),
    new Option('--ignore-rules', 'do not read any rules'),
    new Option('--ephemeral', 'do not keep the conversation'),
    new Option('--record <file>', 'write the conversation to this file too, line by line'),
    // Clients say with them who started the conversation, and what they take part in.
    new Option('--thread-source <name>').hideHelp(),
    new Option('--cyber-access-program <name>').hideHelp(),
  ];
}
