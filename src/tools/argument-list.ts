/** A program with its arguments, as some models spell a command. */
import { ToolFailure } from '../core/errors.js';

export function argvOf(command: readonly string[]): readonly string[] {
  if (command.length === 0 || command[0] === '') throw new ToolFailure('command args are empty');
  return command;
}

/** One line that would mean the same in a shell, for people to read. */
export function commandLine(argv: readonly string[]): string {
  return argv
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`))
    .join(' ');
}
