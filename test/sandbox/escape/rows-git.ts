/** What is protected inside of the workspace. Behind the fence a change is found and undone when the command has ended. */
import fs from 'node:fs';

import { AT_FDCWD } from '../../../src/sandbox/linux/flags.js';
import { makeRepository, pictureOf } from './grounds.js';
import type { Grounds } from './grounds.js';
import { OPEN } from './probe.js';
import type { Probe } from './probe.js';
import { by, finding } from './row.js';
import type { Finding, Row, Stand } from './row.js';
import { all } from './rows-files.js';

const KEPT = by('EROFS', 'ok');
const EXCHANGE = 2;

export const GIT_ROWS: readonly Row[] = [
  {
    id: '7',
    title: 'nothing in .git is changed',
    prepare: keepPicture('.git'),
    tries: ({ workspace }) =>
      all(KEPT, {
        config: (p) => writeTo(p, `${workspace}/.git/config`),
        'a hook': (p) => writeTo(p, `${workspace}/.git/hooks/pre-commit`),
        'a hook that can be started': (p) => p.call('fchmodat', [AT_FDCWD, p.text(`${workspace}/.git/hooks`), 0o777]),
        attributes: (p) => writeTo(p, `${workspace}/.git/info/attributes`),
        HEAD: (p) => p.call('unlinkat', [AT_FDCWD, p.text(`${workspace}/.git/HEAD`), 0]),
        'through another spelling': (p) => writeTo(p, `${workspace}/./folder/..//.git/./config`),
      }),
    after: asBefore('.git', '.git/config'),
  },
  {
    id: '8',
    title: '.git is neither moved nor covered',
    prepare: keepPicture('.git'),
    tries: ({ workspace }) => [
      ...all('EPERM', {
        'mounting over it': (p) =>
          p.call('mount', [p.text(`${workspace}/folder`), p.text(`${workspace}/.git`), 0, 4096, 0]),
      }),
      ...all(by('EBUSY', 'ok'), {
        exchanging: (p) => exchange(p, `${workspace}/.git`, `${workspace}/folder`),
        renaming: (p) => rename(p, `${workspace}/.git`, `${workspace}/moved`),
      }),
      ...all(by('EEXIST|EROFS', 'ok'), {
        'another in its place': (p) => p.call('mkdirat', [AT_FDCWD, p.text(`${workspace}/.git`), 0o755]),
      }),
      ...all(by('EROFS|EBUSY', 'ok'), {
        'with a configuration of its own': (p) => writeTo(p, `${workspace}/.git/config`),
      }),
    ],
    after: asBefore('.git'),
  },
  {
    id: '9',
    title: 'nothing in a nested repository is changed',
    prepare: keepPicture('sub/inner/.git'),
    tries: ({ workspace }) =>
      all(KEPT, {
        config: (p) => writeTo(p, `${workspace}/sub/inner/.git/config`),
        'a hook': (p) => writeTo(p, `${workspace}/sub/inner/.git/hooks/post-checkout`),
      }),
    after: asBefore('sub/inner/.git', 'sub/inner/.git/config'),
  },
  {
    id: '10',
    title: 'a folder above a nested repository is not moved away',
    prepare: keepPicture('sub/inner/.git'),
    tries: ({ workspace }) => [
      ...all(by('EBUSY', 'ok'), {
        'the folder above': (p) => rename(p, `${workspace}/sub/inner`, `${workspace}/sub/away`),
        'the one above that': (p) => rename(p, `${workspace}/sub`, `${workspace}/away`),
      }),
      ...all(by('EEXIST|EROFS', 'ok'), {
        'another in its place'(p) {
          for (const name of ['sub', 'sub/inner', 'sub/inner/.git'])
            p.call('mkdirat', [AT_FDCWD, p.text(`${workspace}/${name}`), 0o755]);
        },
      }),
      ...all(KEPT, { 'with a configuration of its own': (p) => writeTo(p, `${workspace}/sub/inner/.git/config`) }),
    ],
    after: asBefore('sub/inner/.git'),
  },
  {
    id: '11',
    title: 'what a .git that is a file or a link leads to is protected as well',
    prepare(grounds) {
      const { workspace } = grounds;
      for (const name of ['one', 'two']) fs.mkdirSync(`${workspace}/${name}`);
      for (const name of ['of-one', 'of-two']) makeRepository(`${workspace}/store/${name}`);
      fs.writeFileSync(`${workspace}/one/.git`, `gitdir: ../store/of-one/.git\n`);
      fs.symlinkSync('../store/of-two/.git', `${workspace}/two/.git`);
      // Elsewhere than under the name that is looked for.
      makeRepository(`${workspace}/bare`);
      fs.renameSync(`${workspace}/bare/.git`, `${workspace}/bare/data`);
      fs.mkdirSync(`${workspace}/three`);
      fs.writeFileSync(`${workspace}/three/.git`, `gitdir: ${workspace}/bare/data\n`);
      fs.mkdirSync(`${workspace}/four`);
      makeRepository(`${workspace}/linked`);
      fs.renameSync(`${workspace}/linked/.git`, `${workspace}/linked/data`);
      fs.symlinkSync(`${workspace}/linked/data`, `${workspace}/four/.git`);
      keepPicture('.')(grounds);
    },
    tries: ({ workspace }) => [
      ...all(KEPT, {
        'the file itself': (p) => writeTo(p, `${workspace}/one/.git`),
        'where the file leads': (p) => writeTo(p, `${workspace}/store/of-one/.git/config`),
        'where the link leads': (p) => writeTo(p, `${workspace}/two/.git/config`),
        'a folder of another name that a file leads to': (p) => writeTo(p, `${workspace}/bare/data/config`),
        'one that a link leads to': (p) => writeTo(p, `${workspace}/linked/data/config`),
        'a hook in it': (p) => writeTo(p, `${workspace}/linked/data/hooks/pre-commit`),
      }),
      ...all(by('ok|EROFS|EBUSY', 'ok'), {
        'another link in its place'(p) {
          p.call('unlinkat', [AT_FDCWD, p.text(`${workspace}/four/.git`), 0]);
          p.call('symlinkat', [p.text('../folder'), AT_FDCWD, p.text(`${workspace}/four/.git`)]);
        },
      }),
    ],
    after: ({ workspace, notes }) =>
      ['one', 'two', 'three', 'four', 'store', 'bare', 'linked'].map((name) => {
        const was = notes.get('.')?.split('\n') ?? [];
        const is = pictureOf(`${workspace}/./${name}`).split('\n');
        const changed = is.filter((line) => !was.includes(line) && !line.includes('-quarantine-'));
        return finding(`${name} is as before`, changed.join(' and '), '');
      }),
  },
  {
    id: '12',
    title: 'a .git where none was is put away',
    prepare({ workspace }) {
      fs.rmSync(`${workspace}/.git`, { recursive: true });
    },
    tries: ({ workspace }) =>
      all('ok', {
        'making it': (p) => p.call('mkdirat', [AT_FDCWD, p.text(`${workspace}/.git`), 0o755]),
        'with a configuration': (p) => writeTo(p, `${workspace}/.git/config`),
        'another name that is protected': (p) => p.call('mkdirat', [AT_FDCWD, p.text(`${workspace}/.codex`), 0o755]),
      }),
    after: ({ workspace, reports }) => [
      finding('.git afterwards', fs.existsSync(`${workspace}/.git`), false),
      finding('.codex afterwards', fs.existsSync(`${workspace}/.codex`), false),
      finding('what was told', reports.filter(({ kind }) => kind === 'reverted').length, 2),
      finding(
        'where it was put',
        reports.every((each) => each.kind !== 'reverted' || (each.aside !== undefined && fs.existsSync(each.aside))),
        true,
      ),
    ],
  },
  {
    id: '13',
    title: 'our own settings in the workspace are not changed',
    prepare({ workspace }) {
      for (const name of ['.tenon', '.codex', '.agents']) {
        fs.mkdirSync(`${workspace}/${name}`);
        fs.writeFileSync(`${workspace}/${name}/config.toml`, 'as it was\n');
      }
    },
    tries: ({ workspace }) =>
      all(KEPT, {
        '.tenon': (p) => writeTo(p, `${workspace}/.tenon/config.toml`),
        '.codex': (p) => writeTo(p, `${workspace}/.codex/config.toml`),
        '.agents': (p) => writeTo(p, `${workspace}/.agents/config.toml`),
        'a new file': (p) => p.open(`${workspace}/.tenon/new`, OPEN.create, 0o644),
      }),
    after: ({ workspace }) => [
      ...['.tenon', '.codex', '.agents'].map((name) =>
        finding(name, fs.readFileSync(`${workspace}/${name}/config.toml`, 'utf8'), 'as it was\n'),
      ),
      finding('the new file', fs.existsSync(`${workspace}/.tenon/new`), false),
    ],
  },
];

export function keepPicture(name: string): (grounds: Grounds) => void {
  return ({ workspace, notes }) => void notes.set(name, pictureOf(`${workspace}/${name}`));
}

/** Where a change was possible at all, it has also to be told. */
export function asBefore(name: string, told = name): (grounds: Grounds, stand: Stand) => readonly Finding[] {
  return (grounds, { backend }) => [
    unchanged(grounds, name),
    ...(backend === 'landlock' ? [finding(`${told} is told`, isTold(grounds, told), true)] : []),
  ];
}

export function unchanged({ workspace, notes }: Grounds, name: string): Finding {
  return finding(`${name} is as before`, pictureOf(`${workspace}/${name}`), notes.get(name));
}

function isTold({ workspace, reports }: Grounds, name: string): boolean {
  return reports.some((each) => each.kind === 'reverted' && `${workspace}/${name}`.startsWith(each.path));
}

export function writeTo(probe: Probe, file: string): void {
  const opened = probe.open(file, OPEN.create | OPEN.truncate, 0o755);
  probe.call('write', [opened, probe.text('[core]\n\tfsmonitor = evil\n'), 24]);
}

export function rename(probe: Probe, from: string, to: string): void {
  probe.call('renameat', [AT_FDCWD, probe.text(from), AT_FDCWD, probe.text(to)]);
}

export function exchange(probe: Probe, one: string, other: string): void {
  probe.call('renameat2', [AT_FDCWD, probe.text(one), AT_FDCWD, probe.text(other), EXCHANGE]);
}
