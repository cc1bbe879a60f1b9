/** Rows of the table that need more than system calls: several commands, other programs, odd names. */
import fs from 'node:fs';
import path from 'node:path';

import type { ProcessExit } from '../../../src/core/workspace.js';
import { runIn } from './grounds.js';
import type { Grounds } from './grounds.js';
import { ARCHITECTURE } from './probe.js';
import { finding } from './row.js';
import type { Finding, Row, Stand } from './row.js';
import { all } from './rows-files.js';
import { foreignProgram } from './foreign-program.js';
import { tryInside } from './try-inside.js';

const X32 = 0x4000_0000;

export const STORY_ROWS: readonly Row[] = [
  {
    id: '14',
    title: 'a root that a command puts something else in the place of does not move',
    story: async (grounds, stand) => [...(await swappedRoot(grounds)), ...(await swappedWorkspace(grounds, stand))],
  },
  {
    id: '15',
    title: 'nothing is inherited but the three streams',
    async story({ run }) {
      const { stdout } = await run(['/bin/sh', '-c', 'exec ls /proc/self/fd']);
      return [finding('descriptors', stdout.toString().trim().split(/\s+/).join(' '), '0 1 2 3')];
    },
  },
  {
    id: '16',
    title: 'there is no channel to whoever started it',
    tries: () =>
      all(
        'EBADF',
        Object.fromEntries(
          [4, 5, 6, 7, 8, 9, 10, 63].map((number) => [`descriptor ${number}`, (p) => p.call('lseek', [number, 0, 0])]),
        ),
      ),
  },
  {
    id: '34',
    title: 'calls in the manner of other architectures',
    async story(grounds, stand) {
      if (ARCHITECTURE !== 'x64') return { skip: `there are none on ${ARCHITECTURE}` };
      const newer = all('ENOSYS', {
        'a socket': (p) => p.number(X32 | 41, [2, 1, 0]),
        'a mount': (p) => p.number(X32 | 165, []),
        'an engine': (p) => p.number(X32 | 425, []),
      });
      const file = `${grounds.workspace}/foreign`;
      fs.writeFileSync(file, foreignProgram(), { mode: 0o755 });
      const { exit } = await grounds.run([file]);
      return [
        ...(await tryInside(grounds, stand, newer)),
        finding('as a program of 32 bits', exit.kind === 'signalled' ? exit.signal : JSON.stringify(exit), 'SIGSYS'),
      ];
    },
  },
  {
    id: '49',
    title: 'a sandbox in a sandbox is narrower, or refuses',
    story: nested,
  },
];

/** The folder is one that a command may rename, and the next command would be given what stands there now. */
async function swappedRoot({ workspace, outside, sandbox }: Grounds): Promise<readonly Finding[]> {
  fs.mkdirSync(`${workspace}/build`);
  const opened = sandbox({ writableRoots: ['build'] });
  await sh(opened, `mv build gone; ln -s '${outside}' build`);
  await sh(opened, `echo changed >'${outside}/file'; echo new >'${outside}/new'`);
  return [
    finding('a file outside of a swapped root', fs.readFileSync(`${outside}/file`, 'utf8'), 'as it was\n'),
    finding('a new file there', fs.existsSync(`${outside}/new`), false),
  ];
}

/** A workspace in the folder for temporary files, which may be written to as well. */
async function swappedWorkspace({ outside, sandbox }: Grounds, { backend }: Stand): Promise<readonly Finding[]> {
  const top = fs.mkdtempSync(path.join('/tmp', `tenon-escape-${backend}-`));
  const cwd = path.join(top, 'workspace');
  fs.mkdirSync(cwd);
  try {
    const opened = sandbox({ excludeSlashTmp: false }, { cwd });
    await sh(opened, `mv '${cwd}' '${top}/gone'; ln -s '${outside}' '${cwd}'`);
    await sh(opened, `echo changed >'${outside}/other'`);
    return [
      finding('a file outside of a swapped workspace', fs.readFileSync(`${outside}/other`, 'utf8'), 'as it was\n'),
    ];
  } finally {
    fs.rmSync(top, { recursive: true, force: true });
  }
}

async function sh(sandbox: ReturnType<Grounds['sandbox']>, script: string): Promise<void> {
  await runIn(sandbox, ['/bin/sh', '-c', script]).catch(() => {});
}

/** The same program once more inside of itself; see `inner` in the harness. */
async function nested(grounds: Grounds, { backend: around }: Stand): Promise<readonly Finding[]> {
  const { workspace, outside, run } = grounds;
  const inner = `${workspace}/folder`;
  const { stdout, stderr } = await run([process.execPath, process.argv[1] ?? '', 'inner', inner, outside]);
  const line =
    stdout
      .toString()
      .split('\n')
      .find((each) => each.startsWith('{')) ?? '{}';
  const { backend, reason, exit } = JSON.parse(line) as { backend?: string; reason?: string; exit?: ProcessExit };
  // In a folder that the outer fence does not let it list, the inner one finds nothing that may be read.
  const isRefused = around === 'landlock' && exit?.kind === 'not_started';
  return [
    finding('what confines inside', backend ?? `${reason}; ${stdout.toString()}${stderr}`, 'landlock'),
    finding('its own folder', fs.existsSync(`${inner}/made-inside`), !isRefused),
    finding('the folder around it', fs.existsSync(`${workspace}/made-inside`), false),
    finding('outside', fs.existsSync(`${outside}/made-inside`), false),
  ];
}
