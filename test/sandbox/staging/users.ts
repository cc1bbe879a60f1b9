/** Who a test runs as. Root tries everything twice, the second time as somebody without rights. */
import { spawnSync } from 'node:child_process';

export type User = {
  readonly name: string;
  /** Starts a program as this user and gives back what it did. */
  spawn(argv: readonly string[], options: SpawnOptions): Spawned;
  /** Does the rest of the test's work with this user's rights. */
  act<T>(work: () => Promise<T>): Promise<T>;
  /** The number that files must belong to; nothing where they do already. */
  readonly id?: number;
};

type Spawned = { readonly status: number | null; readonly stdout: Buffer; readonly stderr: string };
type SpawnOptions = { readonly cwd?: string; readonly input?: string };

const NOBODY = 65_534;
const BECOME_NOBODY = ['setpriv', '--reuid', `${NOBODY}`, '--regid', `${NOBODY}`, '--clear-groups', '--'];

const SAME: User = { name: 'the same user', spawn, act: (work) => work() };

const PLAIN: User = {
  name: 'a plain user',
  id: NOBODY,
  spawn: (argv, options) => asRoot(() => spawn([...BECOME_NOBODY, ...argv], options)),
  async act(work) {
    process.setegid?.(NOBODY);
    process.seteuid?.(NOBODY);
    try {
      return await work();
    } finally {
      process.seteuid?.(0);
      process.setegid?.(0);
    }
  },
};

export const USERS: readonly User[] = process.getuid?.() === 0 ? [{ ...SAME, name: 'root' }, PLAIN] : [SAME];

/** The one without rights. */
export const PLAIN_USER: User = process.getuid?.() === 0 ? PLAIN : SAME;

function spawn(argv: readonly string[], { cwd = '/', input = '' }: SpawnOptions): Spawned {
  const [program = '', ...rest] = argv;
  const { status, stdout, stderr, error } = spawnSync(program, rest, { cwd, input, maxBuffer: 64 * 1024 * 1024 });
  if (error) throw error;
  return { status, stdout, stderr: stderr.toString() };
}

/** Only root can become somebody; meanwhile nothing else runs, because starting a program waits for its end. */
function asRoot<T>(work: () => T): T {
  const [user, group] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0];
  process.seteuid?.(0);
  process.setegid?.(0);
  try {
    return work();
  } finally {
    process.setegid?.(group);
    process.seteuid?.(user);
  }
}
