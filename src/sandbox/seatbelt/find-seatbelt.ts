/** Seatbelt as a backend, on machines that have it. */
import fs from 'node:fs';

import type { Backend } from '../backend.js';
import type { Candidate } from '../choose-backend.js';
import { nothingSeen } from '../nothing-seen.js';
import { seatbeltGuarantees } from './guarantees.js';
import { SANDBOX_EXEC, seatbeltLaunch } from './launch.js';

export async function findSeatbelt(): Promise<Candidate> {
  return fs.existsSync(SANDBOX_EXEC)
    ? { kind: 'works', backend: SEATBELT }
    : { kind: 'broken', name: 'seatbelt', reason: 'there is no sandbox-exec here; it is a part of macOS' };
}

const SEATBELT: Backend = {
  name: 'seatbelt',
  writeError: 'EPERM',
  guarantees: (policy) => seatbeltGuarantees(policy),
  async start({ command, workspace, policy }) {
    const process = await workspace.spawn({
      ...command,
      through: ({ argv, cwd, env }) => ({ argv: seatbeltLaunch(argv, policy), cwd, env, descriptors: [] }),
    });
    return nothingSeen(process);
  },
  close: async () => {},
};
