/** The command line that runs a program under a Seatbelt profile. */
import type { ResolvedPolicy } from '../policy.js';
import type { SeatbeltOptions } from './options.js';
import { seatbeltProfile } from './profile.js';

// By its full path: a program of that name elsewhere on the search path would confine nothing.
export const SANDBOX_EXEC = '/usr/bin/sandbox-exec';

export function seatbeltLaunch(
  argv: readonly string[],
  resolved: ResolvedPolicy,
  options: SeatbeltOptions = {},
): readonly string[] {
  if (argv.length === 0) throw new RangeError('there is no program to start');
  const { profile, parameters } = seatbeltProfile(resolved, options);
  const definitions = Object.entries(parameters).map(([name, value]) => `-D${name}=${value}`);
  return [SANDBOX_EXEC, '-p', profile, ...definitions, '--', ...argv];
}
