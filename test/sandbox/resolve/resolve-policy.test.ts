import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { ConfigError } from '../../../src/core/errors.js';
import { absolutePath } from '../../../src/core/paths.js';
import type { AbsolutePath } from '../../../src/core/paths.js';
import type { SandboxPolicy } from '../../../src/sandbox/policy.js';
import { resolvePolicy } from '../../../src/sandbox/resolve/resolve-policy.js';
import type { Resolution, ResolveOptions } from '../../../src/sandbox/resolve/resolve-policy.js';
import { createScanCache } from '../../../src/sandbox/resolve/scan-cache.js';
import { propertyRuns } from '../../support/property-runs.js';
import { NAMES, at, file, folder, git, pathsOf, policyFor, realFolder, repository } from './workspace.js';

function resolve(parts: Partial<SandboxPolicy>, options?: ResolveOptions): Promise<Resolution> {
  return resolvePolicy(policyFor(parts), options);
}

async function inRoot(root: AbsolutePath, parts: Partial<SandboxPolicy> = {}, options?: ResolveOptions) {
  return (await resolve({ writableRoots: [root], ...parts }, options)).policy;
}

function stepInto(inner: string, work: () => void): void {
  const before = process.cwd();
  process.chdir(inner);
  try {
    work();
  } finally {
    process.chdir(before);
  }
}

describe('writable roots', () => {
  test('a root is recorded by its real path and what it is', async () => {
    const root = realFolder();
    const real = folder(root, 'real');
    symlinkSync('real', at(root, 'link'));
    const { ino, dev } = lstatSync(real);
    expect((await inRoot(at(root, 'link'))).writable).toEqual([
      { path: real, kind: 'folder', inode: ino, device: dev },
    ]);
  });

  test('a root that is named twice or lies in another one is collapsed into the outer one', async () => {
    const root = realFolder();
    const inner = folder(root, 'a', 'b');
    symlinkSync(root, at(inner, 'back'));
    const { policy } = await resolve({ writableRoots: [inner, root, at(inner, 'back'), root] });
    expect(pathsOf(policy.writable)).toEqual([root]);
  });

  test('a root that is named once as shallow and once not is searched', async () => {
    const root = realFolder();
    symlinkSync('.', at(root, 'link'));
    folder(root, 'sub', '.git');
    const link = at(root, 'link');
    for (const writableRoots of [
      [link, root],
      [root, link],
    ]) {
      const { policy } = await resolve({ writableRoots }, { shallow: [link] });
      expect(pathsOf(policy.protected)).toEqual([at(root, 'sub/.git')]);
    }
  });

  test('a folder whose name only begins like a root is one of its own', async () => {
    const root = realFolder();
    const [one, other] = [folder(root, 'a'), folder(root, 'ab')];
    const { policy } = await resolve({ writableRoots: [one, other] });
    expect(pathsOf(policy.writable)).toEqual([one, other]);
  });

  test('a root that does not exist is left out and reported', async () => {
    const root = realFolder();
    symlinkSync('nowhere', at(root, 'dangling'));
    const gone = [at(root, 'gone'), at(root, 'dangling')];
    const { policy, missing } = await resolve({ writableRoots: [...gone, root] });
    expect({ writable: pathsOf(policy.writable), missing }).toEqual({ writable: [root], missing: gone });
  });

  test('the whole disk is refused, also behind a link', async () => {
    const root = realFolder();
    symlinkSync('/', at(root, 'all'));
    for (const all of [absolutePath('/'), at(root, 'all')]) {
      await expect(inRoot(all)).rejects.toThrow(ConfigError);
      await expect(inRoot(all)).rejects.toThrow('is the whole disk');
    }
  });

  test('a file is refused as a root', async () => {
    const root = realFolder();
    await expect(inRoot(file(root, 'note.txt'))).rejects.toThrow(ConfigError);
  });

  test.each([
    ['a NUL character', 'a\0b'],
    ['half a character', 'a\ud83d'],
  ])('a path with %s is refused wherever it is named', async (_, name) => {
    const root = realFolder();
    const odd = `${root}/${name}` as AbsolutePath;
    await expect(resolve({ writableRoots: [odd] })).rejects.toThrow(ConfigError);
    await expect(resolve({ writableRoots: [root], protectedPaths: [odd] })).rejects.toThrow(ConfigError);
    await expect(resolve({ writableRoots: [root], hiddenPaths: [odd] })).rejects.toThrow(ConfigError);
    await expect(resolve({ writableRoots: [root], protectedNames: [name] })).rejects.toThrow(ConfigError);
    await expect(resolve({ grants: [{ kind: 'write', path: odd }] })).rejects.toThrow(ConfigError);
  });

  test.each(['a/b', '', '.', '..'])('the protected name %j is refused', async (name) => {
    await expect(inRoot(realFolder(), { protectedNames: [name] })).rejects.toThrow(ConfigError);
  });

  test.each(['line\nbreak', '"quoted"', "it's", '$(touch x)', 'größe 😀', '\\', ' ', '-rf', '*', '\u202e', '\ufffd'])(
    'a root called %j is taken exactly, with what is protected in it',
    async (name) => {
      const root = folder(realFolder(), name);
      folder(root, name, '.git');
      const policy = await inRoot(root);
      expect([policy.writable, policy.protected, policy.pinned].map(pathsOf)).toEqual([
        [root],
        [at(root, name, '.git')],
        [at(root, name)],
      ]);
    },
  );

  test('a root with a very long path is taken exactly, and what is too long to be named in it closes its folder', async () => {
    const names = Array.from({ length: 15 }, () => 'n'.repeat(250));
    const root = folder(realFolder(), ...names);
    folder(root, '.git');
    expect(pathsOf((await inRoot(root)).protected)).toEqual([at(root, '.git')]);
    // No path reaches into it, but a program can go there step by step.
    const inner = folder(root, 'm'.repeat(250));
    stepInto(inner, () => mkdirSync('o'.repeat(250)));
    try {
      expect(pathsOf((await inRoot(root)).protected)).toEqual([at(root, '.git'), inner]);
      await expect(inRoot(inner)).rejects.toThrow('too long');
    } finally {
      stepInto(inner, () => rmdirSync('o'.repeat(250)));
    }
  });

  test('a root that is longer than a path can be is refused', async () => {
    await expect(
      inRoot(at('/', 'n'.repeat(200), ...Array.from({ length: 30 }, () => 'n'.repeat(200)))),
    ).rejects.toThrow(ConfigError);
  });
});

/** Names a folder in bytes that are no text. */
function oddFolder(root: string, ...below: readonly string[]): Buffer {
  const odd = Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9])]);
  mkdirSync(Buffer.concat([odd, Buffer.from(below.map((name) => `/${name}`).join(''))]), { recursive: true });
  return odd;
}

describe.skipIf(process.platform === 'darwin')('names that are not valid UTF-8', () => {
  test('do no harm when nothing protected lies behind them', async () => {
    const root = realFolder();
    oddFolder(root, 'src');
    folder(root, 'sub', '.git');
    folder(root, '\ufffd', '.git');
    expect(pathsOf((await inRoot(root)).protected)).toEqual([at(root, '\ufffd', '.git'), at(root, 'sub', '.git')]);
  });

  test('protect the folder that holds them when a repository lies behind them', async () => {
    const root = realFolder();
    oddFolder(folder(root, 'music'), 'deep', '.git');
    expect(pathsOf((await inRoot(root)).protected)).toEqual([at(root, 'music')]);
  });

  test('protect the folder that holds them when there is too much behind them to look at', async () => {
    const root = realFolder();
    const odd = oddFolder(folder(root, 'music'));
    for (let index = 0; index < 30; index += 1) writeFileSync(Buffer.concat([odd, Buffer.from(`/${index}`)]), '');
    expect((await inRoot(root, {}, { maxEntries: 30 })).protected).toEqual([]);
    expect(pathsOf((await inRoot(root, {}, { maxEntries: 29 })).protected)).toEqual([at(root, 'music')]);
  });

  test('are looked behind every time', async () => {
    const root = realFolder();
    const odd = oddFolder(folder(root, 'music'), 'deep');
    const options = { cache: createScanCache({ now: () => Date.now() + 3_600_000, trustMs: 0 }) };
    expect((await inRoot(root, {}, options)).protected).toEqual([]);
    mkdirSync(Buffer.concat([odd, Buffer.from('/deep/.git')]));
    expect(pathsOf((await inRoot(root, {}, options)).protected)).toEqual([at(root, 'music')]);
  });

  test('are refused with such a repository directly in a root', async () => {
    const root = realFolder();
    oddFolder(root, '.git');
    await expect(inRoot(root)).rejects.toThrow(ConfigError);
  });

  test('are refused as the way to a root or to something hidden', async () => {
    const root = realFolder();
    symlinkSync(oddFolder(root), at(root, 'link'));
    await expect(inRoot(at(root, 'link'))).rejects.toThrow('not valid UTF-8');
    await expect(resolve({ hiddenPaths: [at(root, 'link')] })).rejects.toThrow('not valid UTF-8');
  });

  test('protect the folder of a link to them, or of the folder that a gitdir file names', async () => {
    const root = realFolder();
    symlinkSync(oddFolder(root), at(folder(root, 'a'), '.git'));
    const pointer = Buffer.concat([Buffer.from('gitdir: ../b/'), Buffer.from([0xe9]), Buffer.from('/git')]);
    folder(root, 'b');
    writeFileSync(file(root, 'c/.git'), pointer);
    expect(pathsOf((await inRoot(root)).protected)).toEqual([at(root, 'a'), at(root, 'b'), at(root, 'c', '.git')]);
  });
});

describe('protected names', () => {
  test('are protected directly in a root and below it, and the folders between are pinned', async () => {
    const root = repository(realFolder(), 'ws');
    repository(root, 'vendor', 'lib');
    folder(root, 'packages', 'a', '.agents');
    const policy = await inRoot(root);
    expect(pathsOf(policy.protected)).toEqual([
      at(root, '.git'),
      at(root, 'vendor/lib/.git'),
      at(root, 'packages/a/.agents'),
    ]);
    expect(pathsOf(policy.pinned)).toEqual([
      at(root, 'vendor'),
      at(root, 'packages'),
      at(root, 'packages/a'),
      at(root, 'vendor/lib'),
    ]);
    expect(policy.absent).toEqual([at(root, '.tenon'), at(root, '.codex'), at(root, '.agents')]);
  });

  test('are not looked for inside of protected folders, in node_modules and behind links', async () => {
    const root = realFolder();
    const outside = realFolder();
    folder(outside, '.git');
    symlinkSync(outside, at(root, 'link'));
    folder(root, '.tenon', 'cache', '.git');
    folder(root, 'node_modules', 'x', '.git');
    expect(pathsOf((await inRoot(root)).protected)).toEqual([at(root, '.tenon')]);
  });

  test('a repository within the depth is found and one below is reported as not looked for', async () => {
    const root = realFolder();
    folder(root, '1/2/3/4/5/6', '.git');
    folder(root, '1/2/3/4/5/6/7', '.git');
    const { policy, cut } = await resolve({ writableRoots: [root] }, { maxDepth: 6 });
    expect({ found: pathsOf(policy.protected), cut }).toEqual({
      found: [at(root, '1/2/3/4/5/6/.git')],
      cut: [{ root, by: 'depth' }],
    });
  });

  test('what was found before stays protected when so much is made since that a search ends early', async () => {
    const root = realFolder();
    folder(root, 'z/deep', '.git');
    const cache = createScanCache();
    const found = async () => {
      cache.forget();
      const { policy, cut } = await resolve({ writableRoots: [root] }, { cache, maxEntries: 20 });
      return { found: pathsOf(policy.protected), cut: cut.length };
    };
    expect(await found()).toEqual({ found: [at(root, 'z/deep/.git')], cut: 0 });
    for (let index = 0; index < 30; index += 1) folder(root, `a${index}`);
    expect(await found()).toEqual({ found: [at(root, 'z/deep/.git')], cut: 1 });
    rmSync(at(root, 'z/deep/.git'), { recursive: true });
    expect(await found()).toEqual({ found: [], cut: 1 });
  });

  test('a search that comes to its bound says so, and has found what is near', async () => {
    const root = realFolder();
    folder(root, 'a', '.git');
    for (let index = 0; index < 30; index += 1) file(root, `z/${index}/file`);
    expect((await resolve({ writableRoots: [root] }, { maxEntries: 1_000 })).cut).toEqual([]);
    const { policy, cut } = await resolve({ writableRoots: [root] }, { maxEntries: 20 });
    expect({ found: pathsOf(policy.protected), cut }).toEqual({
      found: [at(root, 'a/.git')],
      cut: [{ root, by: 'entries' }],
    });
  });

  test('every entry counts, not every folder', async () => {
    const root = realFolder();
    for (let index = 0; index < 30; index += 1) file(root, `a/${index}`);
    folder(root, 'b', '.git');
    const { policy, cut } = await resolve({ writableRoots: [root] }, { maxEntries: 32 });
    expect({ found: policy.protected, cut }).toEqual({ found: [], cut: [{ root, by: 'entries' }] });
    expect((await resolve({ writableRoots: [root] }, { maxEntries: 33 })).policy.protected).toHaveLength(1);
  });

  test('a shallow root is not searched, but its own names are protected', async () => {
    const root = realFolder();
    folder(root, '.git');
    folder(root, 'sub', '.git');
    const policy = await inRoot(root, {}, { shallow: [root] });
    expect(pathsOf(policy.protected)).toEqual([at(root, '.git')]);
    expect(policy.absent).toEqual([]);
  });

  test('a workspace in a shallow root is searched all the same', async () => {
    const root = realFolder();
    const workspace = folder(root, 'ws');
    folder(workspace, 'sub', '.git');
    const { policy } = await resolve({ writableRoots: [root, workspace] }, { shallow: [root] });
    expect(pathsOf(policy.protected)).toEqual([at(workspace, 'sub/.git')]);
    expect(pathsOf(policy.pinned)).toEqual([workspace, at(workspace, 'sub')]);
    expect(policy.absent).toEqual(NAMES.map((name) => at(workspace, name)));
  });

  test('are compared without case where the system does so', async () => {
    const root = realFolder();
    folder(root, '.GIT');
    const [mac, linux] = [
      await inRoot(root, {}, { platform: 'darwin' }),
      await inRoot(root, {}, { platform: 'linux' }),
    ];
    expect([pathsOf(mac.protected), mac.absent.includes(at(root, '.git'))]).toEqual([[at(root, '.GIT')], false]);
    expect([pathsOf(linux.protected), linux.absent.includes(at(root, '.git'))]).toEqual([[], true]);
  });

  test.skipIf(process.getuid?.() === 0)("a folder of the user's own that cannot be read is protected", async () => {
    const root = realFolder();
    const closed = folder(root, 'closed');
    chmodSync(closed, 0);
    try {
      expect(pathsOf((await inRoot(root)).protected)).toEqual([closed]);
    } finally {
      chmodSync(closed, 0o700);
    }
  });

  test('every one within the depth is protected, and everything above it is pinned', async () => {
    const base = realFolder();
    const name = fc.constantFrom('a', 'b', '.git', '.tenon', 'node_modules', ' ', '"$(x)"');
    const tree = fc.array(fc.array(name, { minLength: 1, maxLength: 5 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(tree, async (folders) => {
        const root = realpathSync(mkdtempSync(at(base, 'ws-')));
        for (const names of folders) folder(root, ...names);
        const policy = await inRoot(absolutePath(root));
        const expected = new Set<string>();
        const above = new Set<string>();
        for (const names of folders) {
          const first = names.findIndex((each) => each === '.git' || each === '.tenon' || each === 'node_modules');
          if (first === -1 || names[first] === 'node_modules') continue;
          expected.add(at(root, ...names.slice(0, first + 1)));
          for (let length = 1; length <= first; length += 1) above.add(at(root, ...names.slice(0, length)));
        }
        expect(new Set(pathsOf(policy.protected))).toEqual(expected);
        expect(new Set(pathsOf(policy.pinned))).toEqual(above);
      }),
      propertyRuns(25),
    );
  });
});

describe('repositories that are kept elsewhere', () => {
  test('a worktree outside of the main repository protects what both keep in writable folders', async () => {
    const base = realFolder();
    const main = repository(base, 'main');
    git(main, 'worktree', 'add', '--quiet', '../tree');
    const { policy } = await resolve({ writableRoots: [at(base, 'tree'), main] });
    expect(pathsOf(policy.protected)).toEqual([at(main, '.git'), at(base, 'tree/.git')]);
  });

  test('a worktree whose repository is not writable protects its own file only', async () => {
    const base = realFolder();
    git(repository(base, 'main'), 'worktree', 'add', '--quiet', '../tree');
    expect(pathsOf((await inRoot(at(base, 'tree'))).protected)).toEqual([at(base, 'tree/.git')]);
  });

  test('a worktree inside of its repository is protected', async () => {
    const main = repository(realFolder(), 'main');
    git(main, 'worktree', 'add', '--quiet', 'trees/one');
    const policy = await inRoot(main);
    expect(pathsOf(policy.protected)).toEqual([at(main, '.git'), at(main, 'trees/one/.git')]);
    expect(pathsOf(policy.pinned)).toEqual([at(main, 'trees'), at(main, 'trees/one')]);
  });

  test('a gitdir file protects the folder it names and the one that shares its settings', async () => {
    const root = realFolder();
    const kept = folder(root, 'kept/one');
    const common = folder(root, 'common');
    file(kept, 'commondir', '../../common\n');
    file(root, 'sub/.git', 'gitdir: ../kept/one\n');
    const policy = await inRoot(root);
    expect(pathsOf(policy.protected)).toEqual([common, kept, at(root, 'sub/.git')]);
    expect(pathsOf(policy.pinned)).toEqual([at(root, 'sub'), at(root, 'kept')]);
  });

  test('a repository that is separated from its folder by git itself is found', async () => {
    const root = realFolder();
    folder(root, 'sub');
    folder(root, 'data');
    git(root, 'init', '--quiet', '--separate-git-dir', 'data/repo.git', 'sub');
    const policy = await inRoot(root);
    expect(pathsOf(policy.protected)).toEqual([at(root, 'sub/.git'), at(root, 'data/repo.git')]);
  });

  test('a gitdir file that names a folder which is not there keeps that name free', async () => {
    const root = realFolder();
    file(root, 'sub/.git', 'gitdir: ../later/git');
    expect((await inRoot(root, { protectedNames: ['.git'] })).absent).toEqual([
      at(root, '.git'),
      at(root, 'later/git'),
    ]);
  });

  test.each([
    '',
    'gitdir:',
    'gitdir: ',
    'gitdir: \n',
    'gitdir:x',
    'x',
    ' gitdir: x',
    'gitdir: ../..',
    'gitdir: /',
    'gitdir: ..',
  ])('of a gitdir file that says %j only the file itself is protected', async (content) => {
    const root = realFolder();
    folder(root, 'x');
    const pointer = file(root, 'sub/.git', content);
    const policy = await inRoot(root, { protectedNames: ['.git'] });
    expect([pathsOf(policy.protected), policy.absent]).toEqual([[pointer], [at(root, '.git')]]);
  });

  test('a `..` behind a link leads where the system leads it', async () => {
    const root = realFolder();
    folder(root, 'deep/er/end');
    folder(root, 'deep/er/repo');
    folder(root, 'sub');
    symlinkSync('../deep/er/end', at(root, 'sub/link'));
    file(root, 'sub/.git', 'gitdir: link/../repo');
    const policy = await inRoot(root);
    expect(pathsOf(policy.protected)).toEqual([at(root, 'sub/.git'), at(root, 'deep/er/repo')]);
    expect(policy.links).toEqual([{ path: at(root, 'sub/link'), target: '../deep/er/end' }]);
  });

  test('a `.git` that is a link is compared, and what it leads to is protected, with every link on the way', async () => {
    const root = repository(realFolder(), 'ws');
    folder(root, 'store');
    renameSync(at(root, '.git'), at(root, 'store/repo'));
    symlinkSync('store/repo', at(root, 'hop'));
    symlinkSync('hop', at(root, '.git'));
    const policy = await inRoot(root, { protectedNames: ['.git'] });
    expect(policy).toMatchObject({
      links: [
        { path: at(root, 'hop'), target: 'store/repo' },
        { path: at(root, '.git'), target: 'hop' },
      ],
      absent: [],
    });
    expect(pathsOf(policy.protected)).toEqual([at(root, 'store/repo')]);
    expect(pathsOf(policy.pinned)).toEqual([at(root, 'store')]);
  });

  test('a link to a gitdir file is read from where the link is', async () => {
    const root = realFolder();
    folder(root, 'sub/repo');
    file(root, 'files/pointer', 'gitdir: repo');
    symlinkSync('../files/pointer', at(root, 'sub/.git'));
    expect(pathsOf((await inRoot(root)).protected)).toEqual([at(root, 'sub/repo'), at(root, 'files/pointer')]);
  });

  test('a link that leads out of the writable folders, nowhere yet or in a circle is compared', async () => {
    const root = realFolder();
    const outside = realFolder();
    for (const name of ['out', 'later', 'circle']) folder(root, name);
    symlinkSync(outside, at(root, 'out/.git'));
    symlinkSync('repo', at(root, 'later/.git'));
    symlinkSync('.git', at(root, 'circle/.git'));
    const policy = await inRoot(root, { protectedNames: ['.git'] });
    expect(pathsOf(policy.links)).toEqual(['out', 'later', 'circle'].map((name) => at(root, name, '.git')));
    expect([policy.protected, policy.absent]).toEqual([[], [at(root, '.git'), at(root, 'later/repo')]]);
    expect(pathsOf(policy.pinned)).toEqual(['out', 'later', 'circle'].map((name) => at(root, name)));
  });
});

describe('protected paths', () => {
  test('are protected inside of a root with pinned folders above, kept free if missing, ignored elsewhere', async () => {
    const root = realFolder();
    const [kept, outside] = [file(root, 'conf/app/rules.toml'), realFolder()];
    const later = at(root, 'conf/later/rules.toml');
    const policy = await inRoot(root, { protectedNames: [], protectedPaths: [kept, later, outside] });
    expect([pathsOf(policy.protected), pathsOf(policy.pinned), policy.absent]).toEqual([
      [kept],
      [at(root, 'conf'), at(root, 'conf/app')],
      [later],
    ]);
  });

  test('the folders above what is not there yet are pinned', async () => {
    const root = realFolder();
    const conf = folder(root, 'conf');
    const policy = await inRoot(root, { protectedNames: [], protectedPaths: [at(conf, 'later/rules.toml')] });
    expect(pathsOf(policy.pinned)).toEqual([conf]);
  });

  test('a path that is a link is compared, and its target protected', async () => {
    const root = realFolder();
    const target = file(root, 'target');
    symlinkSync('target', at(root, 'link'));
    const policy = await inRoot(root, { protectedNames: [], protectedPaths: [at(root, 'link')] });
    expect([pathsOf(policy.protected), policy.links]).toEqual([
      [target],
      [{ path: at(root, 'link'), target: 'target' }],
    ]);
  });

  test('what lies in something protected needs nothing more', async () => {
    const root = realFolder();
    symlinkSync('x', at(folder(root, '.tenon'), 'link'));
    const policy = await inRoot(root, { protectedNames: ['.tenon'], protectedPaths: [at(root, '.tenon/link')] });
    expect([pathsOf(policy.protected), policy.links, policy.absent]).toEqual([[at(root, '.tenon')], [], []]);
  });

  test('a root itself can be protected, and a folder around it is refused', async () => {
    const base = realFolder();
    const root = folder(base, 'ws');
    const policy = await inRoot(root, { protectedPaths: [root] });
    expect([pathsOf(policy.protected), policy.pinned, policy.absent]).toEqual([[root], [], []]);
    await expect(inRoot(root, { protectedPaths: [base] })).rejects.toThrow(ConfigError);
  });
});

describe('rights to write', () => {
  const write = (path: AbsolutePath) => ({ kind: 'write', path }) as const;

  test('what lies in nothing writable is granted by its real path', async () => {
    const [root, outside] = [realFolder(), realFolder()];
    const target = file(outside, 'target');
    symlinkSync('target', at(outside, 'link'));
    const { policy, widened } = await resolve({ writableRoots: [root], grants: [write(at(outside, 'link'))] });
    expect(pathsOf(policy.granted)).toEqual([target]);
    expect(widened).toMatchObject([{ asked: at(outside, 'link'), place: { path: target } }]);
  });

  test('what is not there yet opens the nearest folder above it, which is reported, but never the whole disk', async () => {
    const outside = realFolder();
    const asked = at(outside, 'a/b/c');
    const { policy, widened } = await resolve({ grants: [write(asked)] });
    expect(pathsOf(policy.granted)).toEqual([outside]);
    expect(widened).toMatchObject([{ asked, access: 'write', place: { path: outside } }]);
    await expect(resolve({ grants: [write(absolutePath('/tenon-no-such-folder/file'))] })).rejects.toThrow(ConfigError);
  });

  test('a right to what is protected takes the protection away, and that only', async () => {
    const root = realFolder();
    const [one, other] = [folder(root, 'one/.git'), folder(root, 'other/.git')];
    const policy = await inRoot(root, { grants: [write(one), write(at(root, 'one'))] });
    expect([policy.granted, policy.protected, policy.pinned].map(pathsOf)).toEqual([
      [one],
      [other],
      [at(root, 'other')],
    ]);
  });

  test('a right to part of what is protected opens that part', async () => {
    const root = realFolder();
    const hooks = folder(root, '.git/hooks');
    const policy = await inRoot(root, { grants: [write(hooks)] });
    expect([policy.granted, policy.protected].map(pathsOf)).toEqual([[hooks], [at(root, '.git')]]);
  });

  test('a right to a protected name that is not there, or to something in it, lets it appear', async () => {
    const root = realFolder();
    symlinkSync(root, at(root, 'here'));
    const grants = [write(at(root, '.git')), write(at(root, 'here/.tenon/config.toml'))];
    const policy = await inRoot(root, { grants });
    expect([policy.granted, policy.absent]).toEqual([[], [at(root, '.codex'), at(root, '.agents')]]);
  });

  test('a right to a link that is protected lets it change', async () => {
    const root = realFolder();
    const target = folder(root, 'repo');
    symlinkSync('repo', at(root, '.git'));
    const policy = await inRoot(root, { grants: [write(at(root, '.git'))] });
    expect([pathsOf(policy.granted), policy.links, policy.protected]).toEqual([[target], [], []]);
  });

  test('a right to a folder around a root, a protected or a hidden path makes it a root in which those hold', async () => {
    const base = realFolder();
    const repo = folder(base, 'code/ws/.git');
    const hidden = folder(base, 'keys/ssh');
    const { policy } = await resolve({
      writableRoots: [at(base, 'code/ws')],
      hiddenPaths: [hidden],
      grants: [write(base), write(at(base, 'code'))],
    });
    expect([policy.writable, policy.granted, policy.protected, policy.hidden, policy.pinned].map(pathsOf)).toEqual([
      [base],
      [],
      [repo],
      [hidden],
      [at(base, 'code'), at(base, 'keys'), at(base, 'code/ws')],
    ]);
  });

  test('a right to write below something hidden shows that part', async () => {
    const hidden = folder(realFolder(), 'keys');
    const part = file(hidden, 'part');
    const { policy, shown } = await resolve({ hiddenPaths: [hidden], grants: [write(part)] });
    expect([policy.hidden, policy.granted, shown].map(pathsOf)).toEqual([[hidden], [part], [part]]);
  });
});

describe('hidden paths', () => {
  const read = (path: AbsolutePath) => ({ kind: 'read', path }) as const;

  test('only what exists is hidden, by its real path, and nothing twice', async () => {
    const base = realFolder();
    const real = folder(base, 'real');
    file(real, 'inner');
    symlinkSync('real', at(base, 'link'));
    symlinkSync('nowhere', at(base, 'dangling'));
    symlinkSync('circle', at(base, 'circle'));
    const hiddenPaths = ['link', 'real', 'real/inner', 'gone', 'dangling', 'circle', 'real/inner/x'].map((name) =>
      at(base, name),
    );
    expect(pathsOf((await resolve({ hiddenPaths })).policy.hidden)).toEqual([real]);
  });

  test('a hidden path in a root stays hidden, and the folders above it are pinned', async () => {
    const root = realFolder();
    const secret = file(root, 'conf/.env');
    const policy = await inRoot(root, { hiddenPaths: [secret] });
    expect([policy.hidden, policy.pinned].map(pathsOf)).toEqual([[secret], [at(root, 'conf')]]);
  });

  test('a hidden path in something protected makes no folder in that writable again', async () => {
    const root = realFolder();
    const policy = await inRoot(root, { hiddenPaths: [file(root, '.tenon/deep/key')] });
    expect([policy.hidden.length, policy.pinned]).toEqual([1, []]);
  });

  test('a hidden path that is a root or holds one is refused by name, as is the whole disk', async () => {
    const base = realFolder();
    const root = folder(base, 'ws');
    for (const hidden of [base, root]) {
      await expect(inRoot(root, { hiddenPaths: [hidden] })).rejects.toThrow(ConfigError);
      await expect(inRoot(root, { hiddenPaths: [hidden] })).rejects.toThrow(`${root} lies in the hidden ${hidden};`);
    }
    await expect(resolve({ hiddenPaths: [absolutePath('/')] })).rejects.toThrow(ConfigError);
  });

  test('a right to read shows what it names, and nothing more', async () => {
    const base = realFolder();
    const [ssh, aws] = [folder(base, 'ssh'), folder(base, 'aws')];
    const known = file(ssh, 'known_hosts');
    const hiddenPaths = [ssh, aws];
    const whole = await resolve({ hiddenPaths, grants: [read(ssh)] });
    const part = await resolve({ hiddenPaths, grants: [read(known)] });
    const around = await resolve({ hiddenPaths, grants: [read(base)] });
    expect([whole, part, around].map(({ policy, shown }) => [policy.hidden, shown].map(pathsOf))).toEqual([
      [[aws], []],
      [[aws, ssh], [known]],
      [[aws, ssh], []],
    ]);
  });

  test('a right to an outer one does not show an inner one that is hidden too', async () => {
    const outer = folder(realFolder(), 'config');
    const inner = folder(outer, 'sub/gh');
    const shownOuter = await resolve({ hiddenPaths: [outer, inner], grants: [read(outer)] });
    expect(pathsOf(shownOuter.policy.hidden)).toEqual([inner]);
    const shownBetween = await resolve({ hiddenPaths: [outer, inner], grants: [read(at(outer, 'sub'))] });
    expect([shownBetween.policy.hidden, shownBetween.shown].map(pathsOf)).toEqual([[outer, inner], [at(outer, 'sub')]]);
  });

  test.skipIf(process.getuid?.() === 0)('what lies in a folder that cannot be entered is hidden with it', async () => {
    const base = realFolder();
    const closed = folder(base, 'closed');
    const secret = file(closed, 'deep/secret');
    symlinkSync(secret, at(base, 'link'));
    chmodSync(closed, 0);
    try {
      expect(pathsOf((await resolve({ hiddenPaths: [secret, at(base, 'link')] })).policy.hidden)).toEqual([closed]);
    } finally {
      chmodSync(closed, 0o700);
    }
  });
});

describe('everything else', () => {
  test('is handed on, and a right to connect adds its host once', async () => {
    const limits = { processes: 5 };
    const grants = [
      { kind: 'connect', host: 'b.org' },
      { kind: 'connect', host: 'a.org' },
    ] as const;
    const { policy } = await resolve({
      limits,
      unixSockets: 'private',
      network: { kind: 'hosts', allowed: ['a.org'] },
      grants,
    });
    expect(policy).toEqual({
      writable: [],
      protected: [],
      pinned: [],
      granted: [],
      hidden: [],
      links: [],
      absent: [],
      network: { kind: 'hosts', allowed: ['a.org', 'b.org'] },
      unixSockets: 'private',
      limits,
    });
    expect((await resolve({ network: { kind: 'open' }, grants })).policy.network).toEqual({ kind: 'open' });
  });

  test('paths need not be normalised', async () => {
    const root = realFolder();
    folder(root, '.git');
    const given = `${root}/.//` as AbsolutePath;
    const { policy } = await resolve({
      writableRoots: [given],
      grants: [{ kind: 'write', path: `${root}/.git/` as AbsolutePath }],
    });
    expect([policy.writable, policy.granted, policy.protected].map(pathsOf)).toEqual([[root], [at(root, '.git')], []]);
  });
});
