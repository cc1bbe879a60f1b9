import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { findShell, scriptOf, shellArgv, shellKind, userShell } from '../../src/shell/shells.js';
import type { ShellKind, ShellSearch } from '../../src/shell/shells.js';
import { propertyRuns } from '../support/property-runs.js';

const WINDOWS_POWERSHELL = String.raw`C:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe`;
const POWERSHELL_7 = String.raw`C:\Program Files\PowerShell\7\pwsh.exe`;
const CMD = String.raw`C:\Windows\System32\cmd.exe`;

describe('the kind of a shell', () => {
  const kinds: readonly (readonly [file: string, kind: ShellKind | undefined])[] = [
    ['bash', 'bash'],
    ['/usr/bin/bash', 'bash'],
    [String.raw`C:\Program Files\Git\bin\bash.exe`, 'bash'],
    ['zsh', 'zsh'],
    ['/opt/homebrew/bin/zsh', 'zsh'],
    ['/bin/sh', 'sh'],
    ['dash', 'sh'],
    ['/bin/ash', 'sh'],
    ['/usr/bin/ksh', 'sh'],
    ['mksh', 'sh'],
    ['pwsh', 'powershell'],
    ['pwsh.exe', 'powershell'],
    ['/usr/local/bin/pwsh', 'powershell'],
    ['PowerShell', 'powershell'],
    ['POWERSHELL.EXE', 'powershell'],
    [WINDOWS_POWERSHELL, 'powershell'],
    ['C:/Program Files/PowerShell/7/pwsh.exe', 'powershell'],
    ['cmd', 'cmd'],
    ['CMD.EXE', 'cmd'],
    [CMD, 'cmd'],
    ['/usr/sbin/nologin', undefined],
    ['/bin/false', undefined],
    ['/usr/bin/fish', undefined],
    ['nu', undefined],
    ['bash.sh', undefined],
    ['bash.exe.bak', undefined],
    ['bashful', undefined],
    ['.exe', undefined],
    ['constructor', undefined],
    ['/bin/', undefined],
    ['', undefined],
  ];

  test.each(kinds)('%j is %j', (file, kind) => {
    expect(shellKind(file)).toBe(kind);
  });
});

describe('the command line of a script', () => {
  const written: readonly (readonly [kind: ShellKind, login: boolean, flags: readonly string[]])[] = [
    ['bash', false, ['-c']],
    ['bash', true, ['-lc']],
    ['zsh', false, ['-c']],
    ['zsh', true, ['-lc']],
    ['sh', false, ['-c']],
    ['sh', true, ['-lc']],
    ['powershell', false, ['-NoProfile', '-Command']],
    ['powershell', true, ['-Command']],
    ['cmd', false, ['/c']],
    ['cmd', true, ['/c']],
  ];

  test.each(written)('%s with login %s', (kind, login, flags) => {
    expect(shellArgv('/some/file', kind, 'echo "a b"', login)).toEqual(['/some/file', ...flags, 'echo "a b"']);
  });

  const understood: readonly (readonly [argv: readonly string[], kind: ShellKind, login: boolean])[] = [
    [['bash', '-c', 'ls'], 'bash', false],
    [['/bin/bash', '-lc', 'ls'], 'bash', true],
    [['bash', '-l', '-c', 'ls'], 'bash', true],
    [['zsh', '-l', '-c', 'ls'], 'zsh', true],
    [['dash', '-c', 'ls'], 'sh', false],
    [['pwsh', '-Command', 'ls'], 'powershell', true],
    [['pwsh.exe', '-command', 'ls'], 'powershell', true],
    [[WINDOWS_POWERSHELL, '-NoProfile', '-Command', 'ls'], 'powershell', false],
    [['powershell', '-noprofile', '-COMMAND', 'ls'], 'powershell', false],
    [['cmd.exe', '/c', 'ls'], 'cmd', false],
    [[CMD, '/C', 'ls'], 'cmd', false],
  ];

  test.each(understood)('%j holds a script', (argv, kind, login) => {
    expect(scriptOf(argv)).toEqual({ kind, script: 'ls', login });
  });

  const others: readonly (readonly [argv: readonly string[]])[] = [
    [[]],
    [['']],
    [['bash']],
    [['bash', '-c']],
    [['bash', 'script.sh']],
    [['bash', '-c', 'ls', 'name']],
    [['bash', '-C', 'ls']],
    [['bash', '-LC', 'ls']],
    [['bash', '-l -c', 'ls']],
    [['bash', '-c', '-l', 'ls']],
    [['bash', '-ic', 'ls']],
    [['bash', '/c', 'ls']],
    [['env', 'bash', '-c', 'ls']],
    [['fish', '-c', 'ls']],
    [['pwsh', '-c', 'ls']],
    [['pwsh', '-lc', 'ls']],
    [['pwsh', '-Command', '-NoProfile', 'ls']],
    [['pwsh', '-Command', 'ls', 'more']],
    [['pwsh', '-File', 'script.ps1']],
    [['pwsh', '-EncodedCommand', 'bABzAA==']],
    [['cmd', '/k', 'ls']],
    [['cmd', '-c', 'ls']],
    [['cmd', '/s', '/c', 'ls']],
  ];

  test.each(others)('%j does not', (argv) => {
    expect(scriptOf(argv)).toBeUndefined();
  });

  const files: Readonly<Record<ShellKind, string>> = {
    bash: '/bin/bash',
    zsh: 'zsh',
    sh: '/bin/dash',
    powershell: POWERSHELL_7,
    cmd: CMD,
  };

  test('whatever was written is read back', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<ShellKind>('bash', 'zsh', 'sh', 'powershell', 'cmd'),
        fc.boolean(),
        fc.string({ unit: 'binary-ascii' }),
        (kind, login, script) => {
          const read = scriptOf(shellArgv(files[kind], kind, script, login));
          expect(read).toEqual({ kind, script, login: login && kind !== 'cmd' });
        },
      ),
      propertyRuns(500),
    );
  });

  test('any other command line is read or passed over, and a script is always its last word', () => {
    const word = fc.oneof(
      fc.constantFrom(...Object.values(files), '-c', '-lc', '-l', '-Command', '-NoProfile', '/c'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 5 }), (argv) => {
        const read = scriptOf(argv);
        if (read) expect([read.kind, read.script]).toEqual([shellKind(argv[0] ?? ''), argv.at(-1)]);
      }),
      propertyRuns(1_000),
    );
  });
});

type Machine = Partial<Omit<ShellSearch, 'isExecutable'>> & { readonly files: readonly string[] };

function searchOf({ files, ...known }: Machine): ShellSearch {
  return {
    platform: 'linux',
    accountShell: undefined,
    path: [],
    ...known,
    isExecutable: (file) => files.includes(file),
  };
}

describe('the shell of the user', () => {
  const windows = { platform: 'win32', path: [String.raw`C:\Tools`, String.raw`D:\More Tools\\`] } as const;

  const found: readonly (readonly [what: string, machine: Machine, shell: string])[] = [
    [
      'is the one of the account',
      { accountShell: '/usr/bin/zsh', files: ['/usr/bin/zsh', '/bin/bash'] },
      '/usr/bin/zsh',
    ],
    ['is another if that one is gone', { accountShell: '/usr/bin/zsh', files: ['/bin/bash'] }, '/bin/bash'],
    [
      'is another if that one lets nobody in',
      { accountShell: '/sbin/nologin', files: ['/sbin/nologin', '/bin/bash'] },
      '/bin/bash',
    ],
    [
      'is another if that one is of no known kind',
      { accountShell: '/bin/fish', files: ['/bin/fish', '/bin/zsh'] },
      '/bin/zsh',
    ],
    ['is not looked for in the current folder', { accountShell: 'zsh', files: ['zsh', '/bin/bash'] }, '/bin/bash'],
    ['on Linux is bash before zsh', { files: ['/bin/zsh', '/usr/bin/bash'] }, '/usr/bin/bash'],
    [
      'on macOS is zsh before bash',
      { platform: 'darwin', files: ['/bin/bash', '/opt/homebrew/bin/zsh'] },
      '/opt/homebrew/bin/zsh',
    ],
    ['on macOS is bash without zsh', { platform: 'darwin', files: ['/bin/bash'] }, '/bin/bash'],
    ['on FreeBSD is found as on Linux', { platform: 'freebsd', files: ['/usr/local/bin/bash'] }, '/usr/local/bin/bash'],
    ['is found by PATH first', { path: ['/nix/bin'], files: ['/bin/bash', '/nix/bin/bash'] }, '/nix/bin/bash'],
    ['is sh where there is nothing more', { path: ['/system/bin'], files: ['/system/bin/sh'] }, '/system/bin/sh'],
    ['is /bin/sh as a last resort', { files: [] }, '/bin/sh'],
    [
      'on Windows is PowerShell 7 by PATH',
      { ...windows, files: [String.raw`D:\More Tools\pwsh.exe`, String.raw`C:\Tools\powershell.exe`] },
      String.raw`D:\More Tools\pwsh.exe`,
    ],
    [
      'on Windows is PowerShell 7 where it is installed',
      { ...windows, files: [WINDOWS_POWERSHELL, POWERSHELL_7] },
      POWERSHELL_7,
    ],
    [
      'on Windows is the old PowerShell by PATH',
      { ...windows, files: [WINDOWS_POWERSHELL, String.raw`C:\Tools\powershell.exe`] },
      String.raw`C:\Tools\powershell.exe`,
    ],
    [
      'on Windows is the old PowerShell where it always is',
      { ...windows, path: [], files: [CMD, WINDOWS_POWERSHELL] },
      WINDOWS_POWERSHELL,
    ],
    ['on Windows is cmd without PowerShell', { ...windows, files: [CMD] }, CMD],
    ['on Windows is any cmd.exe as a last resort', { ...windows, files: [] }, 'cmd.exe'],
  ];

  test.each(found)('%s', (_, machine, shell) => {
    expect(userShell(searchOf(machine))).toBe(shell);
  });
});

describe('a shell that was asked for', () => {
  const gitBash = String.raw`C:\Program Files\Git\bin\bash.exe`;
  const found: readonly (readonly [what: string, wanted: string, machine: Machine, shell: string | undefined])[] = [
    ['by path', '/opt/bash', { files: ['/opt/bash'] }, '/opt/bash'],
    ['by path, but it is not there', '/opt/bash', { files: ['/bin/bash'] }, undefined],
    ['by path, but it is no shell', '/bin/ls', { files: ['/bin/ls'] }, undefined],
    ['by a Windows path', WINDOWS_POWERSHELL, { platform: 'win32', files: [WINDOWS_POWERSHELL] }, WINDOWS_POWERSHELL],
    [
      'by a Windows path elsewhere',
      gitBash,
      { accountShell: '/bin/bash', path: ['/bin'], files: ['/bin/bash'] },
      undefined,
    ],
    [
      'by the name of the account’s own',
      'zsh',
      { accountShell: '/opt/zsh', path: ['/bin'], files: ['/opt/zsh', '/bin/zsh'] },
      '/opt/zsh',
    ],
    [
      'by the name of the account’s own, which is gone',
      'zsh',
      { accountShell: '/opt/zsh', path: ['/bin'], files: ['/bin/zsh'] },
      '/bin/zsh',
    ],
    [
      'by the name of one like the account’s own',
      'sh',
      { accountShell: '/bin/dash', files: ['/bin/dash', '/bin/sh'] },
      '/bin/sh',
    ],
    [
      'by name, in the order of PATH',
      'bash',
      { path: ['/a', '/b', '/c'], files: ['/c/bash', '/b/bash', '/bin/bash'] },
      '/b/bash',
    ],
    [
      'by name, and only the workspace has one',
      'bash',
      { path: ['', '.', 'bin', '../bin'], files: ['bash', 'bin/bash', '../bin/bash', './bash'] },
      undefined,
    ],
    ['by name, in /bin', 'bash', { files: ['/usr/bin/bash', '/bin/bash'] }, '/bin/bash'],
    ['by name, in /usr/bin', 'bash', { files: ['/usr/local/bin/bash', '/usr/bin/bash'] }, '/usr/bin/bash'],
    ['by name, in /usr/local/bin', 'pwsh', { files: ['/usr/local/bin/pwsh'] }, '/usr/local/bin/pwsh'],
    [
      'by name, from Homebrew',
      'bash',
      { platform: 'darwin', files: ['/opt/homebrew/bin/bash'] },
      '/opt/homebrew/bin/bash',
    ],
    ['by name, from Homebrew, but not on macOS', 'bash', { files: ['/opt/homebrew/bin/bash'] }, undefined],
    [
      'by a Windows name on Linux',
      'powershell.exe',
      { path: ['/mnt/c/ps'], files: ['/mnt/c/ps/powershell.exe'] },
      '/mnt/c/ps/powershell.exe',
    ],
    [
      'by name on Windows',
      'PowerShell',
      { platform: 'win32', path: [String.raw`C:\ps`], files: [String.raw`C:\ps\powershell.exe`] },
      String.raw`C:\ps\powershell.exe`,
    ],
    ['by name with its ending on Windows', 'pwsh.exe', { platform: 'win32', files: [POWERSHELL_7] }, POWERSHELL_7],
    ['cmd by name', 'cmd', { platform: 'win32', files: [CMD] }, CMD],
    [
      'bash on Windows is the one of Git',
      'bash',
      { platform: 'win32', files: [String.raw`C:\Windows\System32\bash.exe`, gitBash] },
      gitBash,
    ],
    [
      'by name on Windows, and only the workspace has one',
      'cmd',
      { platform: 'win32', path: ['.', 'bin'], files: ['cmd.exe', String.raw`bin\cmd.exe`] },
      undefined,
    ],
    ['by a name that is no shell', 'fish', { path: ['/bin'], files: ['/bin/fish'] }, undefined],
    ['by no name', '', { path: ['/bin'], files: ['/bin'] }, undefined],
  ];

  test.each(found)('%s', (_, wanted, machine, shell) => {
    expect(findShell(wanted, searchOf(machine))).toBe(shell);
  });
});
