/** The user's configuration as every command reads it: what was ignored is said on stderr. */
import { defaultHome, loadConfig } from '../index.js';
import type { Config } from '../index.js';

export function readConfig(overrides: readonly string[]): Promise<Config> {
  return loadConfig({
    home: defaultHome(),
    overrides,
    onWarning: (message) => process.stderr.write(`tenon: warning: ${message}\n`),
  });
}
