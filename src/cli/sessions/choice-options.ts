/** How the commands that are about one session are told which. */
import { Option } from 'commander';

export const SESSION = 'its id, the beginning of it, or its name';

export function lastOption(also = ''): Option {
  return new Option('--last', `the session that was used last${also}`);
}

export function anyFolderOption(): Option {
  return new Option('--all', 'whatever folder it belongs to, not only this one');
}
