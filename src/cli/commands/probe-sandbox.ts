/** `tenon sandbox probe`: what can confine commands on this machine, and what each covers. */
import type { Guarantees, ProbedBackend } from '../../index.js';
import { EXIT } from '../exit-codes.js';
import { visible } from '../visible.js';
import { openSandbox } from './sandbox.js';
import type { SandboxFlags } from './sandbox.js';

export type ProbeFlags = Pick<SandboxFlags, 'cd' | 'sandbox' | 'config'> & { readonly json?: boolean };

export async function probeSandbox(flags: ProbeFlags): Promise<number> {
  const sandbox = await openSandbox({ ...flags, allowWrite: [], allowHost: [], watch: false }, () => {});
  try {
    const found = await sandbox.probe();
    const text = flags.json
      ? found.map((each) => `${JSON.stringify(each)}\n`).join('')
      : found.map((each) => `${describe(each)}\n`).join('');
    process.stdout.write(flags.json ? text : visible(text));
    return found.some((each) => each.works && each.chosen) ? EXIT.success : EXIT.failed;
  } finally {
    await sandbox.close();
  }
}

function describe(probed: ProbedBackend): string {
  if (!probed.works) return `${probed.name}: does not work here: ${probed.reason}`;
  const used = probed.chosen ? ' (used)' : '';
  const lacks = probed.shortfalls.map(({ text }) => `\n  lacks: ${text}`).join('');
  return `${probed.name}: works${used}\n  ${covers(probed.guarantees).join('\n  ')}${lacks}`;
}

const WORDS: { readonly [Name in keyof Omit<Guarantees, 'limits'>]: Readonly<Record<Guarantees[Name], string>> } = {
  writes: { enforced: 'kept from writing elsewhere', open: 'can write everywhere' },
  metadata: {
    enforced: 'kept from changing modes, owners and times elsewhere',
    open: 'can change modes, owners, times',
  },
  protectedPaths: {
    enforced: 'protected folders cannot be changed',
    reverted: 'changes to protected folders are undone afterwards',
    open: 'protected folders can be changed',
  },
  hiddenPaths: { enforced: 'hidden files cannot be read', open: 'hidden files can be read' },
  network: {
    none: 'no network, not even localhost',
    loopback: 'a localhost of its own, no other network',
    hosts: 'a localhost of its own, and allowed hosts through a proxy',
    open: 'every host',
  },
  unixSockets: { none: 'no sockets with a path', private: 'sockets of its own', open: 'every socket of the machine' },
  processes: {
    isolated: 'sees no other process',
    unsignalled: 'sees other processes, cannot end them',
    open: 'can end other processes',
  },
  killing: { whole: 'everything it started ends with it', marked: 'what it started is looked for and ended' },
};

function covers(guarantees: Guarantees): readonly string[] {
  const names = Object.keys(WORDS) as (keyof typeof WORDS)[];
  const words = names.map((name) => (WORDS[name] as Readonly<Record<string, string>>)[guarantees[name]] ?? '');
  return guarantees.limits.length === 0 ? words : [...words, `limits: ${guarantees.limits.join(', ')}`];
}
