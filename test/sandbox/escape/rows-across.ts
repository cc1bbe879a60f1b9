/** What one command prepares for the next one, and what is left of others on the machine. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';

import { AT_FDCWD } from '../../../src/sandbox/linux/flags.js';
import { makeRepository, pictureOf, runIn } from './grounds.js';
import type { Grounds } from './grounds.js';
import { by, finding, wanted } from './row.js';
import type { Finding, Row } from './row.js';
import { all } from './rows-files.js';
import { writeTo } from './rows-git.js';
import { PROCESSES } from './rows-more.js';
import { promised, tryInside } from './try-inside.js';

const SHMCTL = process.arch === 'arm64' ? 195 : 31;
const isDeep = process.env['TENON_DEEP'] !== undefined;
/** More than is looked at. */
const FLOOD = 50_500;

export const ACROSS_ROWS: readonly Row[] = [
  {
    id: 'A33',
    title: 'shared memory segments of others are neither seen nor removed',
    async story(grounds, stand) {
      const id = Number(/\d+/.exec(execFileSync('ipcmk', ['-M', '4096'], { encoding: 'utf8' }))?.[0]);
      try {
        // Behind the fence they are the machine's; the guarantees say that shared memory can be changed.
        const tries = all(by('EINVAL|EIDRM', 'ok'), {
          'asking for it': (p) => p.number(SHMCTL, [id, 2, p.bytes(new Uint8Array(256))]),
          'removing it': (p) => p.number(SHMCTL, [id, 0, 0]),
        });
        return [
          ...(await tryInside(grounds, stand, tries)),
          finding('what is promised', (await promised(grounds, stand))?.processes, wanted(PROCESSES, stand)),
        ];
      } finally {
        try {
          execFileSync('ipcrm', ['-m', `${id}`], { stdio: 'ignore' });
        } catch {
          // Whoever removed it has been told by the findings.
        }
      }
    },
  },
  {
    id: 'A34',
    title: 'names that things are put away under can be taken, and nothing is put elsewhere',
    prepare({ workspace }) {
      fs.rmSync(`${workspace}/.git`, { recursive: true });
    },
    tries: ({ workspace, outside }) =>
      all('ok', {
        'taking the names'(p) {
          for (const number of [1, 2, 3])
            p.call('symlinkat', [
              p.text(`${outside}/folder`),
              AT_FDCWD,
              p.text(`${workspace}/.tenon-quarantine-${number}-git`),
            ]);
        },
        'a repository where none was'(p) {
          p.call('mkdirat', [AT_FDCWD, p.text(`${workspace}/.git`), 0o755]);
          writeTo(p, `${workspace}/.git/config`);
        },
      }),
    after: ({ workspace, reports }) => [
      finding('.git afterwards', fs.existsSync(`${workspace}/.git`), false),
      finding('what was told', reports.filter(({ kind }) => kind === 'reverted').length, 1),
    ],
  },
  {
    id: 'A35',
    title: 'a repository deep in the workspace is protected, or it is told that it is not',
    story: (grounds) => {
      makeRepository(`${grounds.workspace}/a/b/c/d/e/f/g/h`);
      return keptOrTold(grounds, 'a/b/c/d/e/f/g/h');
    },
  },
  {
    id: 'A36',
    title: 'so many files that not all are looked at leave nothing unprotected in silence',
    async story(grounds) {
      if (!isDeep) return { skip: 'makes very many files: TENON_DEEP' };
      fs.mkdirSync(`${grounds.workspace}/aaa`);
      for (let file = 0; file < FLOOD; file++) fs.closeSync(fs.openSync(`${grounds.workspace}/aaa/${file}`, 'w'));
      return keptOrTold(grounds, 'sub/inner');
    },
  },
  {
    id: 'A37',
    title: 'what a hidden name leads to is hidden too',
    async story({ home, run }) {
      fs.mkdirSync(`${home}/dotfiles`);
      fs.renameSync(`${home}/.ssh`, `${home}/dotfiles/ssh`);
      fs.symlinkSync('dotfiles/ssh', `${home}/.ssh`);
      fs.writeFileSync(`${home}/dotfiles/key`, 'SECRET\n');
      fs.symlinkSync(`${home}/dotfiles/key`, `${home}/alias`);
      const paths = ['.ssh/id', 'dotfiles/ssh/id', 'alias', 'dotfiles/key'].map((name) => `${home}/${name}`);
      const { stdout } = await run(['cat', ...paths], { hide: [`${home}/alias`] });
      return [finding('secrets', stdout.toString().split('SECRET').length - 1, 0)];
    },
  },
  {
    id: 'A38',
    title: 'a home that is the workspace keeps its secrets',
    async story(grounds, { backend }) {
      const { home, sandbox } = grounds;
      const script = 'cat .ssh/id .netrc; mv .ssh x; mv .netrc y; ln .netrc z; cp -r .ssh w; cat x/id y z w/id; : >new';
      const opened = sandbox({}, { cwd: home });
      const ran = await runIn(opened, ['/bin/sh', '-c', script]).catch(() => undefined);
      // Landlock cannot hide what lies in a folder that may be read, so nothing is started.
      if (backend === 'landlock') return [finding('whether it started', ran?.exit.kind ?? 'refused', 'refused')];
      return [
        finding('secrets', ran?.stdout.toString().split('SECRET').length, 1),
        finding('a new file', fs.existsSync(`${home}/new`), true),
        finding('what was there', pictureOf(`${home}/.ssh`).includes('SECRET'), true),
      ];
    },
  },
];

async function keptOrTold({ workspace, sandbox, reports }: Grounds, folder: string): Promise<readonly Finding[]> {
  const before = pictureOf(`${workspace}/${folder}/.git`);
  const opened = sandbox();
  const isRefused = await runIn(opened, ['/bin/sh', '-c', `echo evil >${folder}/.git/config`]).then(
    ({ exit }) => exit.kind === 'not_started',
    () => true,
  );
  const isKept = pictureOf(`${workspace}/${folder}/.git`) === before;
  const confinement = await opened.confinement();
  const isWarned = confinement.kind === 'available' && confinement.warnings.length > 0;
  const isTold = isRefused || isWarned || reports.length > 0;
  return [finding(`${folder}/.git`, isKept ? 'kept' : isTold ? 'told' : 'changed in silence', 'kept|told')];
}
