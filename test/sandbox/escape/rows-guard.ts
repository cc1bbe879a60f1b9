/** More ways to what is protected in the workspace, and to those who put it back. */
import fs from 'node:fs';

import { AT_FDCWD } from '../../../src/sandbox/linux/flags.js';
import { makeRepository, pictureOf, runIn } from './grounds.js';
import { by, finding } from './row.js';
import type { Row } from './row.js';
import { all } from './rows-files.js';
import { asBefore, exchange, keepPicture, rename, unchanged, writeTo } from './rows-git.js';

const KEPT = by('EROFS', 'ok');

export const GUARD_ROWS: readonly Row[] = [
  {
    id: 'A5',
    title: 'folders that lead to something protected are not exchanged either',
    prepare: keepPicture('sub/inner/.git'),
    tries: ({ workspace }) => [
      ...all(by('EBUSY', 'ok'), {
        'the folder above': (p) => exchange(p, `${workspace}/sub`, `${workspace}/folder`),
        'and back, changed': (p) => exchange(p, `${workspace}/sub`, `${workspace}/folder`),
        'with a slash behind it': (p) => rename(p, `${workspace}/.git/`, `${workspace}/away/`),
      }),
      ...all('EBUSY|EINVAL|EXDEV|EROFS|EACCES|EPERM|ENOENT', {
        'leaving a mark': (p) =>
          p.call('renameat2', [AT_FDCWD, p.text(`${workspace}/.git`), AT_FDCWD, p.text(`${workspace}/off`), 4]),
        'with a dot behind it': (p) => rename(p, `${workspace}/.git/.`, `${workspace}/off`),
      }),
    ],
    after: (grounds) => [
      finding('.git is there', fs.existsSync(`${grounds.workspace}/.git/HEAD`), true),
      unchanged(grounds, 'sub/inner/.git'),
    ],
  },
  {
    id: 'A10',
    title: 'a hard link is no way to what is protected',
    prepare: keepPicture('.git'),
    tries: ({ workspace }) => [
      ...all(by('EXDEV', 'ok'), {
        'a link to a file in it'(p) {
          const to = p.text(`${workspace}/linked`);
          p.call('linkat', [AT_FDCWD, p.text(`${workspace}/.git/config`), AT_FDCWD, to, 0]);
        },
      }),
      ...all('ok', { 'writing to what may be the link': (p) => writeTo(p, `${workspace}/linked`) }),
      ...all(by('EXDEV|EROFS', 'ok'), {
        'a file of its own in it'(p) {
          const to = p.text(`${workspace}/.git/hooks/pre-push`);
          p.call('linkat', [AT_FDCWD, p.text(`${workspace}/mine`), AT_FDCWD, to, 0]);
        },
      }),
    ],
    after: asBefore('.git', '.git/config'),
  },
  {
    id: 'A12',
    title: 'what several worktrees share is protected where it lies',
    prepare(grounds) {
      const { workspace } = grounds;
      makeRepository(`${workspace}/bare`);
      fs.renameSync(`${workspace}/bare/.git`, `${workspace}/bare/repo`);
      fs.mkdirSync(`${workspace}/bare/repo/worktrees/tree`, { recursive: true });
      fs.writeFileSync(`${workspace}/bare/repo/worktrees/tree/commondir`, '../..\n');
      fs.writeFileSync(`${workspace}/bare/repo/worktrees/tree/HEAD`, 'ref: refs/heads/tree\n');
      fs.writeFileSync(`${workspace}/bare/repo/worktrees/tree/gitdir`, `${workspace}/tree/.git\n`);
      fs.mkdirSync(`${workspace}/tree`);
      fs.writeFileSync(`${workspace}/tree/.git`, `gitdir: ${workspace}/bare/repo/worktrees/tree\n`);
      keepPicture('bare/repo')(grounds);
    },
    tries: ({ workspace }) =>
      all(KEPT, {
        'shared settings': (p) => writeTo(p, `${workspace}/bare/repo/config`),
        'shared hooks': (p) => writeTo(p, `${workspace}/bare/repo/hooks/post-checkout`),
        'where they are said to be': (p) => writeTo(p, `${workspace}/bare/repo/worktrees/tree/commondir`),
        'settings of the tree': (p) => writeTo(p, `${workspace}/bare/repo/worktrees/tree/config.worktree`),
      }),
    after: asBefore('bare/repo', 'bare/repo/config'),
  },
  {
    id: 'A13',
    title: 'a submodule is protected',
    prepare(grounds) {
      const { workspace } = grounds;
      makeRepository(`${workspace}/.git/modules/part`);
      fs.renameSync(`${workspace}/.git/modules/part/.git`, `${workspace}/.git/modules/data`);
      fs.mkdirSync(`${workspace}/part`);
      fs.writeFileSync(`${workspace}/part/.git`, 'gitdir: ../.git/modules/data\n');
      keepPicture('.git')(grounds);
    },
    tries: ({ workspace }) =>
      all(KEPT, {
        'its settings': (p) => writeTo(p, `${workspace}/.git/modules/data/config`),
        'its hooks': (p) => writeTo(p, `${workspace}/.git/modules/data/hooks/post-checkout`),
        'its pointer': (p) => writeTo(p, `${workspace}/part/.git`),
      }),
    after: ({ workspace, ...rest }, stand) => [
      ...asBefore('.git', '.git/modules/data/config')({ workspace, ...rest }, stand),
      finding('the pointer', read(`${workspace}/part/.git`), 'gitdir: ../.git/modules/data\n'),
    ],
  },
  {
    id: 'A22',
    title: 'nothing is restored through a link that a command has put there',
    prepare(grounds) {
      const { workspace } = grounds;
      fs.writeFileSync(`${workspace}/.git/hooks/pre-commit`, 'exit 0\n', { mode: 0o755 });
      fs.mkdirSync(`${workspace}/.codex`);
      fs.writeFileSync(`${workspace}/.codex/config.toml`, 'as it was\n');
      keepPicture('.git')(grounds);
    },
    tries: ({ workspace, outside }) => [
      ...all(by('EROFS|EBUSY|EXDEV', 'ok'), {
        'a folder'(p) {
          rename(p, `${workspace}/.git/hooks`, `${workspace}/hooks`);
          p.call('symlinkat', [p.text(`${outside}/folder`), AT_FDCWD, p.text(`${workspace}/.git/hooks`)]);
        },
        'a file'(p) {
          p.call('unlinkat', [AT_FDCWD, p.text(`${workspace}/.git/config`), 0]);
          p.call('symlinkat', [p.text(`${outside}/file`), AT_FDCWD, p.text(`${workspace}/.git/config`)]);
        },
        'all of it'(p) {
          rename(p, `${workspace}/.codex`, `${workspace}/codex`);
          p.call('symlinkat', [p.text(outside), AT_FDCWD, p.text(`${workspace}/.codex`)]);
        },
        'a pipe that nobody writes to'(p) {
          p.call('unlinkat', [AT_FDCWD, p.text(`${workspace}/.git/HEAD`), 0]);
          p.call('mknodat', [AT_FDCWD, p.text(`${workspace}/.git/HEAD`), 0o10644, 0]);
        },
      }),
    ],
    after: (grounds, stand) => [
      ...asBefore('.git', '.git/config')(grounds, stand),
      finding('.codex', read(`${grounds.workspace}/.codex/config.toml`), 'as it was\n'),
    ],
  },
  {
    id: 'A23',
    title: 'taking away every right does not keep it from being restored',
    prepare: keepPicture('.git'),
    tries: ({ workspace }) =>
      all(KEPT, {
        'changing it': (p) => writeTo(p, `${workspace}/.git/config`),
        'closing a file': (p) => p.call('fchmodat', [AT_FDCWD, p.text(`${workspace}/.git/config`), 0]),
        'closing the folder': (p) => p.call('fchmodat', [AT_FDCWD, p.text(`${workspace}/.git`), 0]),
      }),
    after: asBefore('.git', '.git/config'),
  },
  {
    id: 'A24',
    title: 'what stays in the background does not change what is protected afterwards',
    async story(grounds) {
      const { workspace, sandbox } = grounds;
      const was = pictureOf(`${workspace}/.git`);
      const loop = 'echo >ready; while :; do echo evil >.git/config; done';
      const opened = sandbox();
      const script = `mkfifo ready; (setsid sh -c '${loop}' >/dev/null 2>&1 </dev/null &); read began <ready`;
      await runIn(opened, ['/bin/sh', '-c', script]);
      await opened.close();
      return [finding('.git', pictureOf(`${workspace}/.git`), was)];
    },
  },
];

function read(file: string): string {
  return fs.readFileSync(file, 'utf8');
}
