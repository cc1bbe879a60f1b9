/** A command line that cannot be carried out as it was typed: told on stderr, exit code 2. */

export class UsageError extends Error {
  override readonly name = 'UsageError';
}
