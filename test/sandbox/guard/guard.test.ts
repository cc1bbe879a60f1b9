import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
} from 'node:fs';
import { readlinkSync, renameSync, rmSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { Fatal, Rejected } from '../../../src/core/errors.js';
import type { AbsolutePath } from '../../../src/core/paths.js';
import { createGuard } from '../../../src/sandbox/guard/guard.js';
import type { GuardOptions } from '../../../src/sandbox/guard/guard.js';
import type { Reverted } from '../../../src/sandbox/guard/restore.js';
import type { SandboxPolicy } from '../../../src/sandbox/policy.js';
import { resolvePolicy } from '../../../src/sandbox/resolve/resolve-policy.js';
import { propertyRuns } from '../../support/property-runs.js';
import { at, file, folder, git, policyFor, realFolder, repository } from '../resolve/workspace.js';

type Setting = { readonly policy?: Partial<SandboxPolicy>; readonly options?: GuardOptions };

/** Resolves, notes, does something as a command would, and compares. */
async function guarded(
  root: AbsolutePath,
  act: () => void,
  { policy, options }: Setting = {},
): Promise<readonly Reverted[]> {
  const resolved = (await resolvePolicy(policyFor({ writableRoots: [root], ...policy }))).policy;
  const guard = createGuard(resolved, options);
  const before = guard.note();
  act();
  return guard.compare(before);
}

const CONTENTS = { options: { contents: true } } as const;

/** As if everything had been left alone for long, so that its times tell whether it was touched. */
const LONG_LEFT_ALONE = { options: { contents: true, now: () => Date.now() + 3_600_000 } } as const;

/** Every path below a folder with what it is, but not when it was changed. */
function tree(start: string): Record<string, string> {
  const entries = readdirSync(start, { recursive: true, encoding: 'utf8' }).toSorted();
  return Object.fromEntries(entries.map((name) => [name, describeFile(path.join(start, name))]));
}

function describeFile(name: string): string {
  const stats = lstatSync(name);
  if (stats.isSymbolicLink()) return `link to ${readlinkSync(name)}`;
  const mode = (stats.mode & 0o7777).toString(8);
  return stats.isDirectory() ? `folder ${mode}` : `file ${mode} ${readFileSync(name, 'hex')}`;
}

describe('a protected name that was free', () => {
  test('nothing is done when it still is', async () => {
    const root = realFolder();
    expect(await guarded(root, () => file(root, 'src/.git/config'))).toEqual([]);
    expect(existsSync(at(root, 'src/.git/config'))).toBe(true);
  });

  test('a repository that appears is put aside with all it holds', async () => {
    const root = realFolder();
    const aside = at(root, '.tenon-quarantine-1-git');
    expect(await guarded(root, () => git(root, 'init', '--quiet'))).toEqual([
      { path: at(root, '.git'), what: 'created', quarantined: aside },
    ]);
    expect(existsSync(at(root, '.git'))).toBe(false);
    expect(existsSync(at(aside, 'config'))).toBe(true);
  });

  test('a file, a link and a folder that may not be entered are put aside under names that are free', async () => {
    const root = realFolder();
    file(root, '.tenon-quarantine-1-git', 'mine');
    symlinkSync('nowhere', at(root, '.tenon-quarantine-2-git'));
    const reverted = await guarded(root, () => {
      file(root, '.git', 'gitdir: /elsewhere');
      symlinkSync('/elsewhere', at(root, '.tenon'));
      mkdirSync(at(root, '.codex'), { mode: 0 });
    });
    expect(reverted.map(({ quarantined }) => path.basename(quarantined ?? ''))).toEqual([
      '.tenon-quarantine-3-git',
      '.tenon-quarantine-1-tenon',
      '.tenon-quarantine-1-codex',
    ]);
    expect(readFileSync(at(root, '.tenon-quarantine-1-git'), 'utf8')).toBe('mine');
    expect(readFileSync(at(root, '.tenon-quarantine-3-git'), 'utf8')).toBe('gitdir: /elsewhere');
    expect(readlinkSync(at(root, '.tenon-quarantine-1-tenon'))).toBe('/elsewhere');
  });

  test('what appears behind a link on the way to it is cut off there', async () => {
    const root = realFolder();
    const outside = realFolder();
    file(outside, 'app/rules.toml', 'theirs');
    const later = at(root, 'conf/app/rules.toml');
    const reverted = await guarded(root, () => symlinkSync(outside, at(root, 'conf')), {
      policy: { protectedNames: [], protectedPaths: [later] },
    });
    expect(reverted).toMatchObject([{ path: later, what: 'created' }]);
    expect([existsSync(at(root, 'conf')), readFileSync(at(outside, 'app/rules.toml'), 'utf8')]).toEqual([
      false,
      'theirs',
    ]);
  });

  test('a file on the way to it is no appearance', async () => {
    const root = realFolder();
    const policy = { protectedNames: [], protectedPaths: [at(root, 'conf/app/rules.toml')] };
    expect(await guarded(root, () => file(root, 'conf'), { policy })).toEqual([]);
  });

  test('nothing runs when it was taken since the policy was resolved', async () => {
    const root = realFolder();
    const { policy } = await resolvePolicy(policyFor({ writableRoots: [root] }));
    folder(root, '.git');
    expect(() => createGuard(policy).note()).toThrow(Rejected);
  });
});

describe('a protected link', () => {
  async function linked(act: (link: AbsolutePath, root: AbsolutePath) => void) {
    const root = realFolder();
    folder(root, 'repo');
    folder(root, 'evil');
    const link = at(root, '.git');
    symlinkSync('repo', link);
    const reverted = await guarded(root, () => act(link, root));
    return { reverted, target: readlinkSync(link), link, root };
  }

  test('is left alone when it is the same', async () => {
    expect((await linked(() => undefined)).reverted).toEqual([]);
  });

  test.each([
    ['changed', (link: string) => (unlinkSync(link), symlinkSync('evil', link))],
    ['replaced', (link: string) => (unlinkSync(link), mkdirSync(link))],
    ['replaced', (link: string) => (unlinkSync(link), writeFileSync(link, 'gitdir: evil'))],
  ] as const)('is put back when it was %s, and what was there is kept', async (what, act) => {
    const { reverted, target, link, root } = await linked(act);
    const quarantined = at(root, '.tenon-quarantine-1-git');
    expect({ reverted, target }).toEqual({ reverted: [{ path: link, what, quarantined }], target: 'repo' });
    expect(lstatSync(quarantined)).toBeDefined();
  });

  test('is put back when it was removed or renamed', async () => {
    const { reverted, target, link, root } = await linked((name, top) => renameSync(name, at(top, 'moved')));
    expect({ reverted, target }).toEqual({ reverted: [{ path: link, what: 'removed' }], target: 'repo' });
    expect(readlinkSync(at(root, 'moved'))).toBe('repo');
  });

  test('nothing runs when it was changed since the policy was resolved', async () => {
    const root = realFolder();
    symlinkSync('repo', at(root, '.git'));
    const { policy } = await resolvePolicy(policyFor({ writableRoots: [root] }));
    unlinkSync(at(root, '.git'));
    expect(() => createGuard(policy).note()).toThrow(Rejected);
  });

  test('is not put back behind a link that took the place of its folder', async () => {
    const [root, outside] = [realFolder(), realFolder()];
    folder(root, 'sub');
    symlinkSync('repo', at(root, 'sub/.git'));
    const act = () => {
      renameSync(at(root, 'sub'), at(root, 'gone'));
      symlinkSync(outside, at(root, 'sub'));
    };
    await expect(guarded(root, act)).rejects.toThrow(Fatal);
    expect(readdirSync(outside)).toEqual([]);
  });
});

describe.each([
  ['just made', CONTENTS],
  ['long left alone', LONG_LEFT_ALONE],
])('the contents of a repository that was %s', (_, setting) => {
  const EVIL = '[core]\n\tfsmonitor = touch /tmp/x\n';

  /** Compares all of a repository before and after, but for what was put aside. */
  async function attacked(act: (root: AbsolutePath) => void) {
    const root = repository(realFolder(), 'ws');
    const before = tree(at(root, '.git'));
    const reverted = await guarded(root, () => act(root), setting);
    expect(tree(at(root, '.git'))).toEqual(before);
    return { root, told: reverted.map(({ path: name, what }) => `${what} ${path.relative(root, name)}`), reverted };
  }

  test('are left alone when nothing was done to them', async () => {
    expect((await attacked((root) => git(root, 'status'))).told).toEqual([]);
  });

  test('a commit and its branch stay, but another HEAD does not', async () => {
    const root = repository(realFolder(), 'ws');
    const act = () => git(root, 'commit', '--quiet', '--allow-empty', '-m', 'second');
    expect(await guarded(root, act, setting)).toEqual([]);
    expect(git(root, 'log', '--format=%s')).toBe('second\nfirst\n');
    await guarded(root, () => git(root, 'checkout', '--quiet', '-b', 'other'), setting);
    expect(git(root, 'branch', '--show-current')).toBe('main\n');
  });

  test.each(['config', 'HEAD', 'info/exclude', 'hooks/pre-commit.sample'])(
    'a change of %s is undone and what was written is kept',
    async (name) => {
      const { told, reverted } = await attacked((root) => writeFileSync(at(root, '.git', name), EVIL));
      expect(told).toEqual([`changed .git/${name}`]);
      expect(readFileSync(reverted[0]?.quarantined ?? '', 'utf8')).toBe(EVIL);
      expect(path.dirname(path.dirname(reverted[0]?.quarantined ?? ''))).not.toContain('.git');
    },
  );

  test('a change of the same length with the old times is found', async () => {
    const { told } = await attacked((root) => {
      const config = at(root, '.git/config');
      const { atime, mtime, size } = lstatSync(config);
      writeFileSync(config, 'x'.repeat(size));
      utimesSync(config, atime, mtime);
    });
    expect(told).toEqual(['changed .git/config']);
  });

  test('what is added where it would run is put beside the repository', async () => {
    const { root, told, reverted } = await attacked((top) => {
      writeFileSync(at(top, '.git/hooks/post-checkout'), '#!/bin/sh\n', { mode: 0o755 });
      writeFileSync(at(top, '.git/config.worktree'), EVIL);
      writeFileSync(at(top, '.git/commondir'), '../evil');
      mkdirSync(at(top, '.git/hooks/more.d'), { mode: 0o500 });
    });
    expect(told.toSorted()).toEqual([
      'created .git/commondir',
      'created .git/config.worktree',
      'created .git/hooks/more.d',
      'created .git/hooks/post-checkout',
    ]);
    expect(reverted.map(({ quarantined }) => path.dirname(quarantined ?? ''))).toEqual([root, root, root, root]);
    expect(existsSync(at(root, '.tenon-quarantine-1-more-d'))).toBe(true);
  });

  test.skipIf(process.platform === 'darwin')('an addition whose name is no text is put aside', async () => {
    const { reverted } = await attacked((root) =>
      writeFileSync(Buffer.concat([Buffer.from(at(root, '.git/hooks/')), Buffer.from('a\xe9', 'latin1')]), 'x'),
    );
    expect(readFileSync(reverted[0]?.quarantined ?? '', 'utf8')).toBe('x');
  });

  test('modes are put back, also that of a folder that was closed', async () => {
    const { told } = await attacked((root) => {
      chmodSync(at(root, '.git/config'), 0o666);
      chmodSync(at(root, '.git/hooks/pre-push.sample'), 0);
      chmodSync(at(root, '.git/hooks'), 0);
      chmodSync(at(root, '.git'), 0o500);
    });
    expect(told).toEqual([
      'changed .git',
      'changed .git/config',
      'changed .git/hooks',
      'changed .git/hooks/pre-push.sample',
    ]);
  });

  test('a second name for a file that is protected leads nowhere afterwards', async () => {
    const { root, told } = await attacked((top) => linkSync(at(top, '.git/config'), at(top, 'innocent')));
    expect(told).toEqual(['changed .git/config']);
    appendFileSync(at(root, 'innocent'), EVIL);
    expect(readFileSync(at(root, '.git/config'), 'utf8')).not.toContain('fsmonitor');
  });

  test('what was removed is made again, a folder is told once', async () => {
    const { told } = await attacked((root) => {
      unlinkSync(at(root, '.git/config'));
      rmSync(at(root, '.git/hooks'), { recursive: true });
    });
    expect(told).toEqual(['removed .git/config', 'removed .git/hooks']);
  });

  test('nothing is written through a link that was put in the place of a file or folder', async () => {
    const outside = realFolder();
    const target = file(outside, 'target', 'theirs');
    const { told } = await attacked((root) => {
      unlinkSync(at(root, '.git/config'));
      symlinkSync(target, at(root, '.git/config'));
      renameSync(at(root, '.git/hooks'), at(root, 'away'));
      symlinkSync(outside, at(root, '.git/hooks'));
    });
    expect(told).toEqual(['replaced .git/config', 'replaced .git/hooks']);
    expect(tree(outside)).toEqual({ target: `file 644 ${Buffer.from('theirs').toString('hex')}` });
  });

  test('a pipe in the place of a file is not waited for', async () => {
    const { told } = await attacked((root) => {
      unlinkSync(at(root, '.git/HEAD'));
      execFileSync('mkfifo', [at(root, '.git/HEAD')]);
    });
    expect(told).toEqual(['replaced .git/HEAD']);
  });

  test('a repository that was renamed gets its name back, with its history', async () => {
    const { root, told } = await attacked((top) => {
      renameSync(at(top, '.git'), at(top, 'elsewhere'));
      writeFileSync(at(top, 'elsewhere/config'), EVIL);
    });
    expect(told).toEqual(['removed .git', 'changed .git/config']);
    expect(git(root, 'log', '--format=%s')).toBe('first\n');
  });

  test('a repository that took the place of the renamed one is put aside', async () => {
    const { root, told, reverted } = await attacked((top) => {
      renameSync(at(top, '.git'), at(top, 'old'));
      git(top, 'init', '--quiet');
    });
    expect(told).toEqual(['replaced .git']);
    expect(existsSync(at(reverted[0]?.quarantined ?? '', 'HEAD'))).toBe(true);
    expect(git(root, 'log', '--format=%s')).toBe('first\n');
  });

  test('a repository that was hidden inside of its successor is found there', async () => {
    const { root } = await attacked((top) => {
      folder(top, 'new');
      renameSync(at(top, '.git'), at(top, 'new/inner'));
      renameSync(at(top, 'new'), at(top, '.git'));
    });
    expect(git(root, 'log', '--format=%s')).toBe('first\n');
  });

  test('a repository that was moved into what has to go is brought back', async () => {
    const root = repository(realFolder(), 'ws');
    repository(root, 'library');
    const act = () => {
      rmSync(at(root, '.git'), { recursive: true });
      mkdirSync(at(root, '.git'));
      renameSync(at(root, 'library'), at(root, '.git/library'));
    };
    const reverted = await guarded(root, act, setting);
    expect(reverted.map(({ path: name, what }) => [path.relative(root, name), what])).toEqual([
      ['.git', 'replaced'],
      ['library', 'removed'],
    ]);
    expect(git(at(root, 'library'), 'log', '--format=%s')).toBe('first\n');
  });

  test('of a repository that was deleted, what decides is made again', async () => {
    const root = repository(realFolder(), 'ws');
    const config = readFileSync(at(root, '.git/config'), 'utf8');
    const act = () => {
      rmSync(at(root, '.git'), { recursive: true });
      git(root, 'init', '--quiet');
      writeFileSync(at(root, '.git/config'), EVIL);
    };
    const [told, ...more] = await guarded(root, act, setting);
    expect(told?.path).toMatch(/\.git/);
    expect(readFileSync(at(root, '.git/config'), 'utf8')).toBe(config);
    expect(more.every(({ path: name }) => name.startsWith(at(root, '.git')))).toBe(true);
  });

  test('a nested repository survives that its parent was renamed and made anew', async () => {
    const root = realFolder();
    repository(root, 'libs/sub');
    const before = tree(at(root, 'libs/sub'));
    const reverted = await guarded(
      root,
      () => {
        renameSync(at(root, 'libs'), at(root, 'moved'));
        file(root, 'libs/sub/.git/config', EVIL);
      },
      setting,
    );
    const quarantined = at(root, '.tenon-quarantine-1-libs');
    expect(reverted).toEqual([{ path: at(root, 'libs'), what: 'replaced', quarantined }]);
    expect(tree(at(root, 'libs/sub'))).toEqual(before);
    expect(readFileSync(at(quarantined, 'sub/.git/config'), 'utf8')).toBe(EVIL);
  });

  test('a repository in a folder that was renamed, under another name in that, is found again', async () => {
    const root = realFolder();
    repository(root, 'libs/sub');
    const act = () => {
      renameSync(at(root, 'libs'), at(root, 'moved'));
      renameSync(at(root, 'moved/sub'), at(root, 'moved/other'));
    };
    const reverted = await guarded(root, act, setting);
    expect(reverted).toEqual([
      { path: at(root, 'libs'), what: 'removed' },
      { path: at(root, 'libs/sub'), what: 'removed' },
    ]);
    expect(git(at(root, 'libs/sub'), 'log', '--format=%s')).toBe('first\n');
  });

  test('nothing is put back behind a link that took the place of a parent', async () => {
    const [root, outside] = [realFolder(), realFolder()];
    repository(root, 'sub');
    const act = () => {
      rmSync(at(root, 'sub'), { recursive: true });
      symlinkSync(outside, at(root, 'sub'));
    };
    const reverted = await guarded(root, act, setting);
    expect(reverted).toMatchObject([
      { path: at(root, 'sub'), what: 'replaced' },
      { path: at(root, 'sub/.git'), what: 'removed' },
    ]);
    expect([readdirSync(outside), existsSync(at(root, 'sub/.git/config'))]).toEqual([[], true]);
  });

  test('a new folder in the place of a parent that is gone stays, and the repository is made again in it', async () => {
    const root = realFolder();
    repository(root, 'sub');
    const act = () => {
      rmSync(at(root, 'sub'), { recursive: true });
      file(root, 'sub/work', 'mine');
    };
    expect(await guarded(root, act, setting)).toMatchObject([{ path: at(root, 'sub/.git'), what: 'removed' }]);
    expect(readFileSync(at(root, 'sub/work'), 'utf8')).toBe('mine');
  });

  test('the settings of submodules and worktrees are part of it', async () => {
    const base = realFolder();
    const root = repository(base, 'ws');
    repository(base, 'library');
    git(root, 'submodule', 'add', '--quiet', '../library', 'deep/library');
    git(root, 'worktree', 'add', '--quiet', '../tree');
    const act = () => {
      appendFileSync(at(root, '.git/modules/deep/library/config'), EVIL);
      writeFileSync(at(root, '.git/modules/deep/library/hooks/pre-commit'), 'x');
      writeFileSync(at(root, '.git/worktrees/tree/commondir'), '/evil');
      writeFileSync(at(root, 'deep/library/.git'), 'gitdir: /evil');
    };
    const reverted = await guarded(root, act, setting);
    expect(reverted.map(({ path: name }) => path.relative(root, name))).toEqual([
      '.git/modules/deep/library/config',
      '.git/modules/deep/library/hooks/pre-commit',
      '.git/worktrees/tree/commondir',
      'deep/library/.git',
    ]);
    expect(git(at(root, 'deep/library'), 'log', '--format=%s')).toBe('first\n');
  });

  test('a commit in a worktree stays', async () => {
    const root = repository(realFolder(), 'ws');
    git(root, 'worktree', 'add', '--quiet', 'tree');
    const act = () => {
      file(root, 'tree/new');
      git(at(root, 'tree'), 'add', 'new');
      git(at(root, 'tree'), 'commit', '--quiet', '-m', 'second');
    };
    expect(await guarded(root, act, setting)).toEqual([]);
    expect(git(at(root, 'tree'), 'log', '--format=%s')).toBe('second\nfirst\n');
  });

  test('what a right opens may be changed', async () => {
    const root = repository(realFolder(), 'ws');
    const hooks = at(root, '.git/hooks');
    const policy = { grants: [{ kind: 'write', path: hooks }] } as const;
    expect(await guarded(root, () => file(hooks, 'pre-commit', 'x'), { ...setting, policy })).toEqual([]);
    expect(existsSync(at(hooks, 'pre-commit'))).toBe(true);
  });

  test('nothing is kept or compared where the sandbox itself protects', async () => {
    const root = repository(realFolder(), 'ws');
    expect(await guarded(root, () => appendFileSync(at(root, '.git/config'), '# mine\n'))).toEqual([]);
  });
});

describe('other protected folders and files', () => {
  test('are put back as a whole', async () => {
    const root = realFolder();
    file(root, '.tenon/rules/a.toml', 'a');
    file(root, '.tenon/deep/b', 'b');
    symlinkSync('a.toml', at(root, '.tenon/rules/link'));
    const single = file(root, 'conf/policy', 'p');
    const before = [tree(at(root, '.tenon')), describeFile(single)];
    const act = () => {
      file(root, '.tenon/rules/evil.toml', 'allow everything');
      writeFileSync(at(root, '.tenon/rules/a.toml'), 'b');
      rmSync(at(root, '.tenon/deep'), { recursive: true });
      unlinkSync(at(root, '.tenon/rules/link'));
      symlinkSync('evil.toml', at(root, '.tenon/rules/link'));
      unlinkSync(single);
    };
    const reverted = await guarded(root, act, { ...CONTENTS, policy: { protectedPaths: [single] } });
    expect([tree(at(root, '.tenon')), describeFile(single)]).toEqual(before);
    expect(reverted.map(({ path: name, what }) => `${what} ${path.relative(root, name)}`).toSorted()).toEqual([
      'changed .tenon/rules/a.toml',
      'changed .tenon/rules/link',
      'created .tenon/rules/evil.toml',
      'removed .tenon/deep',
      'removed conf/policy',
    ]);
    expect(readFileSync(at(root, '.tenon-quarantine-1-evil-toml'), 'utf8')).toBe('allow everything');
  });

  test.each([
    ['too many files', { maxFiles: 3 }],
    ['too large', { maxBytes: 10 }],
  ])('nothing runs when there is %s to keep', async (_, bounds) => {
    const root = realFolder();
    for (const name of ['a', 'b', 'c']) file(root, `.agents/${name}`, 'four');
    const { policy } = await resolvePolicy(policyFor({ writableRoots: [root] }));
    expect(() => createGuard(policy, { contents: true, ...bounds }).note()).toThrow(Rejected);
    expect(createGuard(policy, { contents: true, maxFiles: 4, maxBytes: 12 }).note().kept).toHaveLength(1);
  });

  test('nothing runs when a place is another one than was resolved', async () => {
    const root = realFolder();
    folder(root, '.agents');
    const { policy } = await resolvePolicy(policyFor({ writableRoots: [root] }));
    renameSync(at(root, '.agents'), at(root, 'moved'));
    folder(root, '.agents');
    expect(() => createGuard(policy, { contents: true }).note()).toThrow(Rejected);
  });

  test('what appears in a root that is protected itself is put aside in it', async () => {
    const root = folder(realFolder(), 'ws');
    const setting = { ...CONTENTS, policy: { protectedNames: [], protectedPaths: [root] } };
    const quarantined = at(root, '.tenon-quarantine-1-new');
    expect(await guarded(root, () => file(root, 'new'), setting)).toEqual([
      { path: at(root, 'new'), what: 'created', quarantined },
    ]);
  });

  test.skipIf(process.platform === 'darwin')('nothing runs when a name in it is no text', async () => {
    const root = realFolder();
    const odd = Buffer.concat([Buffer.from(`${folder(root, '.agents')}/`), Buffer.from([0xe9])]);
    writeFileSync(odd, '');
    await expect(guarded(root, () => undefined, CONTENTS)).rejects.toThrow(Rejected);
  });

  test('a socket can be missed, but stops nothing', async () => {
    const root = realFolder();
    folder(root, '.agents');
    execFileSync('mkfifo', [at(root, '.agents/pipe')]);
    expect(await guarded(root, () => unlinkSync(at(root, '.agents/pipe')), CONTENTS)).toEqual([
      { path: at(root, '.agents/pipe'), what: 'removed' },
    ]);
  });

  test('whatever is done to it, a folder is as before, and nothing that was written is lost', async () => {
    const base = realFolder();
    const name = fc.constantFrom('a', 'b', 'd', 'd/a', 'd/c', 'new', 'd/new', 'l');
    const act = fc.record({
      how: fc.constantFrom('write', 'remove', 'folder', 'link', 'move', 'close'),
      name,
      other: name,
    });
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 6 }), async (acts) => {
        count += 1;
        const root = folder(base, `ws-${count}`);
        for (const each of ['a', 'b', 'd/a', 'd/c']) file(root, `.agents/${each}`, each);
        symlinkSync('a', at(root, '.agents/l'));
        const before = tree(at(root, '.agents'));
        const written = new Set<string>();
        await guarded(
          root,
          () => acts.forEach((each, index) => tamper(at(root, '.agents'), each, `text ${index}`, written)),
          CONTENTS,
        );
        expect(tree(at(root, '.agents'))).toEqual(before);
        const kept = Object.values(tree(root)).join('\n');
        for (const text of written) expect(kept).toContain(Buffer.from(text).toString('hex'));
      }),
      propertyRuns(40),
    );
  });
});

type Act = { readonly how: string; readonly name: string; readonly other: string };

/** What does not work is not done. Notes which texts are there when all is done. */
function tamper(start: string, { how, name, other }: Act, text: string, written: Set<string>): void {
  const [target, second] = [at(start, name), at(start, other)];
  try {
    if (how === 'remove') rmSync(target, { recursive: true });
    else if (how === 'folder') mkdirSync(target);
    else if (how === 'link') symlinkSync('nowhere-at-all', target);
    else if (how === 'move') renameSync(target, second);
    else if (how === 'close') chmodSync(target, 0o500);
    else writeFileSync(target, text);
  } catch {
    return;
  }
  const all = existsSync(start) ? Object.values(tree(start)).join('\n') : '';
  if (how === 'write') written.add(text);
  for (const each of written) if (!all.includes(Buffer.from(each).toString('hex'))) written.delete(each);
}
