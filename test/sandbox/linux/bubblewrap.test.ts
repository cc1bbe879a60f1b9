import { describe, expect, test } from 'vitest';

import { bubblewrapArguments, bubblewrapGuarantees, compileInside } from '../../../src/sandbox/linux/bubblewrap.js';
import { becomeCommand } from '../../../src/sandbox/linux/confinement-steps.js';
import { printProgram } from '../../support/print-program.js';
import { comesInOrder, stepOrder } from '../../support/step-order.js';
import { POLICY, REQUEST, TARGET, place, policyOf } from './requests.js';

const OPTIONS = { file: '/usr/bin/bwrap', terminal: false };

describe('the arguments of bubblewrap', () => {
  test('are these, for a policy with something of everything', () => {
    expect(lines(bubblewrapArguments(POLICY, OPTIONS))).toMatchInlineSnapshot(`
      [
        "/usr/bin/bwrap",
        "--unshare-user",
        "--unshare-pid",
        "--unshare-ipc",
        "--cap-drop ALL",
        "--die-with-parent",
        "--unshare-net",
        "--new-session",
        "--ro-bind / /",
        "--dev /dev",
        "--proc /proc",
        "--bind /project /project",
        "--bind /tmp /tmp",
        "--bind /project/deep /project/deep",
        "--ro-bind /project/.git /project/.git",
        "--ro-bind /project/.env /project/.env",
        "--bind /srv/cache /srv/cache",
        "--bind /project/deep/inner /project/deep/inner",
        "--bind /project/.git/index /project/.git/index",
        "--ro-bind /project/deep/inner/.git /project/deep/inner/.git",
        "--perms 0555",
        "--tmpfs /home/u/.ssh",
        "--remount-ro /home/u/.ssh",
        "--ro-bind /dev/null /home/u/.netrc",
        "--remount-ro /proc",
        "--chdir /",
        "--",
      ]
    `);
  });

  test('leave the network and the session alone where these are needed', () => {
    const given = bubblewrapArguments(policyOf({ network: { kind: 'open' } }), { ...OPTIONS, terminal: true });
    expect(given).not.toContain('--unshare-net');
    expect(given).not.toContain('--new-session');
    expect(given).toContain('--unshare-user');
  });

  test('mount what lies deeper later, and let a right win over the protection of that very thing', () => {
    const given = bubblewrapArguments(
      policyOf({
        writable: [place('/a/b/c/d'), place('/a')],
        protected: [place('/a/b/.git'), place('/a/x')],
        granted: [place('/a/x'), place('/a/b/.git/index', 'file')],
      }),
      OPTIONS,
    );
    const binds = lines(given).filter((line) => /bind \/a/.test(line));
    expect(binds).toEqual([
      '--bind /a /a',
      '--bind /a/x /a/x',
      '--ro-bind /a/b/.git /a/b/.git',
      '--bind /a/b/c/d /a/b/c/d',
      '--bind /a/b/.git/index /a/b/.git/index',
    ]);
  });

  test('hide after everything is mounted, and make /proc read-only at the end', () => {
    const given = lines(bubblewrapArguments(POLICY, OPTIONS));
    const last = given.findLastIndex((line) => line.startsWith('--bind'));
    expect(given.indexOf('--tmpfs /home/u/.ssh')).toBeGreaterThan(last);
    expect(given.indexOf('--ro-bind /dev/null /home/u/.netrc')).toBeGreaterThan(last);
    expect(given.slice(-3)).toEqual(['--remount-ro /proc', '--chdir /', '--']);
  });
});

/** An option with its words on each line. */
function lines(words: readonly string[]): readonly string[] {
  const all: string[] = [];
  for (const word of words) {
    if (word.startsWith('--') || all.length === 0) all.push(word);
    else all.push(`${all.pop()} ${word}`);
  }
  return all;
}

describe('the program inside of bubblewrap', () => {
  const program = becomeCommand(compileInside(REQUEST), TARGET);

  test('is this one', async () => {
    await expect(printProgram(program)).toMatchFileSnapshot('golden/inside-bubblewrap.txt');
  });

  test('is the same for the same policy, byte by byte', () => {
    expect(becomeCommand(compileInside(structuredClone(REQUEST)), TARGET).bytes).toEqual(program.bytes);
  });

  test('gives up privileges, enters Landlock, filters, closes, and becomes the command', () => {
    const texts = ['dropping capabilities', 'landlock_restrict_self(', 'filtering', 'close_range(', 'execve('];
    expect(comesInOrder(program, texts)).toBe(true);
    const order = stepOrder(program);
    expect(order.first('giving up new privileges')).toBeLessThan(order.first('seccomp('));
  });
});

test('bubblewrap holds to what a cell does, but has no proxy', () => {
  expect(bubblewrapGuarantees(POLICY)).toMatchObject({ writes: 'enforced', network: 'loopback', killing: 'whole' });
});
