/** Flags that several commands have. */
import { Option } from 'commander';

export function folderOption(): Option {
  return new Option('-C, --cd <dir>', 'workspace folder');
}

export function sandboxOption(): Option {
  return new Option('-s, --sandbox <mode>', 'read-only, workspace-write or danger-full-access');
}

export function approvalOption(): Option {
  return new Option('-a, --ask-for-approval <policy>', 'always, untrusted, on-request, on-failure or never');
}

export function configOption(): Option {
  return repeated('-c, --config <key=value>', 'set a configuration value; may be repeated');
}

export function profileOption(): Option {
  return new Option('-p, --profile <name>', 'a profile of the configuration');
}

export function strictOption(): Option {
  return new Option('--strict-config', 'refuse keys that nobody knows');
}

export function repeated(flags: string, description: string): Option {
  return new Option(flags, description)
    .argParser((value: string, previous: readonly string[]) => [...previous, value])
    .default([], 'none');
}
