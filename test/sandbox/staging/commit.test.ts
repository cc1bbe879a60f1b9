import { chownSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { TestContext } from 'vitest';

import { absolutePath } from '../../../src/core/paths.js';
import type { CommitPolicy } from '../../../src/sandbox/staging/check-changes.js';
import { commitStage } from '../../../src/sandbox/staging/commit.js';
import type { CommitResult } from '../../../src/core/staging.js';
import { listChanges } from '../../../src/sandbox/staging/list-changes.js';
import type { Stage } from '../../../src/sandbox/staging/stage.js';
import { freshStage, lineOf, marksOf, mustSucceed, places, stagedRun, treeOf, xattrsAs } from './staged-run.js';
import { PLAIN_USER, USERS } from './users.js';
import type { User } from './users.js';

const POLICY: CommitPolicy = { protectedNames: ['.git', '.tenon', '.codex', '.agents'], protectedPaths: [] };

const RIGHTS = 'it would run with the rights of its owner or group';
const LATE = 'it has changed in the workspace after the command began';
const LISTED = 'it has changed in the workspace since the changes were listed';
const RESTAGED = 'it has changed in the stage since the changes were listed';
const DIVERTED = 'a folder above it is gone or a link now';
const OUT = 'it is a link that leads out of the workspace';

const BEFORE = `
  mkdir -p src/deep old/sub kept empty; echo one > src/one; echo two > src/deep/two; echo three > old/three; echo 4 > old/sub/four
  echo five > kept/five; echo a > a; echo run > tool; ln -s a link; mkdir -p lib/.git; echo cfg > lib/.git/config
  mkdir locked; touch locked/o; chmod 500 locked; ln -s /etc out`;

const COMMANDS = {
  edits: `sed -i s/one/1/ src/one; echo more >> a; touch -d '2001-02-03 04:05:06' a; chmod 755 tool; chmod 600 kept/five`,
  'new things': `mkdir -p n/m; echo x > n/m/x; ln -s m/x n/l; chmod 500 n/m; touch -d 2002-02-02 n/m; : > void; umask 0; echo > w`,
  removals: 'rm a link; rm -r old src; rmdir empty',
  moves: 'mv old older; mv a b; mv src/deep/two kept/two; mv src/one src/deep/one',
  'folders made anew': 'rm -rf old; mkdir -p old/sub; echo new > old/sub/new; chmod 700 old',
  'other kinds':
    'rm -r old; echo f > old; rm a; mkdir a; echo a > a/a; rm link; echo l > link; rmdir empty; ln -s src empty',
  modes: 'chmod 700 . src; chmod 500 kept; rm old/three; chmod 500 old',
  'things in a folder that was opened': 'chmod 700 locked; echo n > locked/n; rm locked/o',
  links: 'rm link; ln -s src/deep link; ln -s ../../a src/deep/up; ln -s link/two through; ln -s nowhere dangling',
  'odd names': `echo q > "$(printf 'new\\nline')"; echo s > ' '; mkdir -p 'ü/"'; echo b > 'back\\slash'`,
};

describe.each(USERS)('as $name', (user) => {
  test.for(Object.entries(COMMANDS))('%s come out in the workspace as in the view', async ([, command], context) => {
    const reference = places(user).workspace;
    mustSucceed(user, `${BEFORE}; ${command}`, reference);
    const stage = await stagedRun(context, user, { before: BEFORE, command });
    const changes = await user.act(() => listChanges(stage, xattrsAs(user)));
    const result = await user.act(() => commitStage(stage, changes, POLICY));
    expect(result).toEqual({ kind: 'committed', done: changes });
    expect(treeOf(stage.lower)).toEqual(treeOf(reference));
    expect(await user.act(() => listChanges(stage, xattrsAs(user)))).toEqual([]);
  });

  test('times are kept', async (context) => {
    const command = `touch -d '2001-02-03 04:05:06.5' a; echo x >> a; touch -d '2001-02-03 04:05:06.5' a; mkdir n; touch -d 2002-02-02 n`;
    const stage = await stagedRun(context, user, { before: BEFORE, command });
    expect((await commit(user, stage)).kind).toBe('committed');
    for (const name of ['a', 'n']) {
      expect(statSync(`${stage.lower}/${name}`).mtimeMs).toBeCloseTo(statSync(`${stage.upper}/${name}`).mtimeMs, 2);
    }
  });

  const refusedAfter = async (context: TestContext, commands: readonly string[], before = BEFORE) => {
    const command = [...commands, 'echo changed > a', 'rm -r kept'].join('; ');
    const stage = await stagedRun(context, user, { before, command });
    const tree = treeOf(stage.lower);
    const reasons = reasonsOf(await commit(user, stage));
    expect(treeOf(stage.lower)).toEqual(tree);
    return reasons;
  };

  test('links that lead out are refused, and nothing is written', async (context) => {
    const commands = [
      'ln -s /etc/passwd absolute',
      'ln -s ../../x src/up',
      'ln -s src/../../x by-folder',
      'mkdir d; ln -s .. d/top; ln -s d/top/../x by-new-link',
      'ln -s out/passwd by-old-link',
      'ln -s circle circle',
      'rm -r old; ln -s /tmp old',
      'ln -s "$PWD/../a" full-path; ln -s "$PWD-2/a" neighbour; ln -s "$PWD/../a" src/full-path',
      `ln -s "$(printf 'n\\377')" odd`,
    ];
    expect(await refusedAfter(context, commands)).toEqual({
      absolute: OUT,
      'src/up': OUT,
      'by-folder': OUT,
      'by-new-link': OUT,
      'by-old-link': OUT,
      circle: OUT,
      old: OUT,
      'full-path': OUT,
      'src/full-path': OUT,
      neighbour: OUT,
      odd: 'it cannot be checked: where the link leads is not valid UTF-8',
    });
  });

  test('what is no plain file, folder or link is refused, and nothing is written', async (context) => {
    const commands = [
      'mkfifo pipe',
      `perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0); bind(S, sockaddr_un("socket")) or die'`,
      'chmod 4755 tool; mkdir group; chmod 2755 group',
      `: > "$(printf 'n\\377')"`,
    ];
    expect(await refusedAfter(context, commands)).toEqual({
      pipe: 'a fifo is never taken over',
      socket: 'a socket is never taken over',
      tool: RIGHTS,
      group: RIGHTS,
      'n\ufffd': 'its name is not valid UTF-8',
    });
  });

  test('protected names are refused whatever is done to them, and nothing is written', async (context) => {
    const before = `${BEFORE}; for n in 1 2 3 4 5 6 7 8; do cp -r lib lib$n; done`;
    const commands = [
      'echo x >> lib/.git/config',
      'mkdir lib1/.git/hooks',
      'rm -rf lib2/.git',
      'rm -rf lib3',
      'rm -rf lib4; mkdir lib4',
      'rm -rf lib5; : > lib5',
      'mv lib6/.git lib6/git',
      'chmod 700 lib7/.git',
      'rm -rf lib8; mkdir -p lib8/.git',
      'ln -s src .agents',
      'mkdir src/.GIT',
      'echo x > .codex; mkdir -p old/.tenon',
    ];
    const removed = [2, 3, 4, 5, 6].flatMap((n) => [`lib${n}/.git`, `lib${n}/.git/config`]);
    const touched = ['lib/.git/config', 'lib1/.git/hooks', 'lib7/.git', 'lib8/.git/config', ...removed];
    expect(await refusedAfter(context, commands, before)).toEqual({
      ...Object.fromEntries(touched.map((name) => [name, '.git is protected'])),
      '.agents': '.agents is protected',
      'src/.GIT': '.GIT is protected',
      '.codex': '.codex is protected',
      'old/.tenon': '.tenon is protected',
    });
  });

  test('a link that names the workspace in full leads nowhere else', async (context) => {
    const command = 'ln -s "$PWD/src/../a" l; ln -s "$PWD" m; ln -s "$PWD//src" n';
    const stage = await stagedRun(context, user, { before: BEFORE, command });
    expect((await commit(user, stage)).kind).toBe('committed');
  });

  test('a protected path is refused, and so is anything but a folder on the way to it', async (context) => {
    const command = 'echo x > src/one; rm -r old; ln -s src old';
    const stage = await stagedRun(context, user, { before: BEFORE, command });
    const protectedPaths = ['src/one', 'old/later'].map((name) => absolutePath(`${stage.lower}/${name}`));
    expect(reasonsOf(await commit(user, stage, { protectedNames: [], protectedPaths }))).toEqual({
      old: `${stage.lower}/old/later is protected, and this is on the way to it`,
      'src/one': `${stage.lower}/src/one is protected`,
    });
  });

  test('what changed in the workspace meanwhile is a conflict', async (context) => {
    const command = 'echo x > a; rm kept/five; chmod 700 tool; echo x > new; rm -r old; echo x > src/n';
    const meanwhile = `
      echo y > a; touch -d 2001-01-01 a; echo y > kept/five; chmod 711 tool; echo y > new; echo y > old/new; mv src s; ln -s s src`;
    const stage = await stagedRun(context, user, { before: BEFORE, command });
    mustSucceed(user, meanwhile, stage.lower);
    const tree = treeOf(stage.lower);
    const conflicts = ['a', 'kept/five', 'tool', 'new', 'old', 'old/new', 'src'];
    expect(reasonsOf(await commit(user, stage))).toEqual(Object.fromEntries(conflicts.map((name) => [name, LATE])));
    expect(treeOf(stage.lower)).toEqual(tree);
  });

  test('other things may happen in a folder whose mode is changed', async (context) => {
    const stage = await stagedRun(context, user, { before: BEFORE, command: 'chmod 700 src' });
    mustSucceed(user, 'echo y > src/theirs', stage.lower);
    expect((await commit(user, stage)).kind).toBe('committed');
    expect(statSync(`${stage.lower}/src`).mode & 0o777).toBe(0o700);
  });

  test('only what was listed is committed', async (context) => {
    const command =
      'for f in a n m k src/n old/n kept/n; do echo x > $f; done; chmod 700 empty lib; echo 6 > kept/five';
    const stage = await stagedRun(context, user, { before: BEFORE, command });
    const changes = await user.act(() => listChanges(stage, xattrsAs(user)));
    mustSucceed(
      user,
      'echo y > a; echo y > n; mv src s; ln -s s src; rm -r old; mv empty e; mkdir empty; chmod 711 lib',
      stage.lower,
    );
    mustSucceed(user, 'echo evil > kept/n; rm m; ln -s /etc/passwd m; rm k', stage.upper);
    expect(reasonsOf(await user.act(() => commitStage(stage, changes, POLICY)))).toEqual({
      a: LISTED,
      n: LISTED,
      empty: LISTED,
      lib: LISTED,
      'src/n': DIVERTED,
      'old/n': DIVERTED,
      'kept/n': RESTAGED,
      m: RESTAGED,
      k: expect.stringContaining('it cannot be checked: ENOENT') as string,
    });
  });

  test('a path that leads out of the workspace is refused', async (context) => {
    const stage = await stagedRun(context, user, { before: BEFORE, command: 'mkdir n; echo x > n/x' });
    const [, change] = await user.act(() => listChanges(stage, xattrsAs(user)));
    if (change === undefined) throw new Error('no change was listed');
    const changes = ['../x', 'src/..', '/x', 'src/../x', './x'].map((path) => Object.assign({}, change, { path }));
    const result = await user.act(() => commitStage(stage, changes, POLICY));
    expect(new Set(Object.values(reasonsOf(result)))).toEqual(
      new Set(['its path does not name a place in the workspace']),
    );
  });

  test('what somebody dropped into a folder that is to go saves it, and everything else', async (context) => {
    const stage = await stagedRun(context, user, {
      before: BEFORE,
      command: 'rm -r old kept; echo x > a; mkdir n; echo n > n/n',
    });
    const changes = await user.act(() => listChanges(stage, xattrsAs(user)));
    mustSucceed(user, 'mkdir old/sub/new', stage.lower);
    const tree = treeOf(stage.lower);
    const quiet = changes.filter(({ path }) => path !== 'old/sub/new');
    const result = await user.act(() => commitStage(stage, quiet, POLICY));
    expect(result).toMatchObject({ kind: 'rolled-back', failed: { path: 'old/sub' } });
    expect(result).not.toHaveProperty('leftover');
    expect(treeOf(stage.lower)).toEqual(tree);
  });
});

test('a step that fails in the middle takes back all before it', async (context) => {
  const user = PLAIN_USER;
  const stage = await freshStage(context, user, { before: `${BEFORE}; echo z > z; mkdir zz zz/in; chmod 700 zz` });
  mustSucceed(
    user,
    `echo new > a; mkdir n; echo n > n/n; chmod 500 n; echo l > link; mkdir tool; echo t > tool/t; : > z; : > old; mkdir src zz
     chmod 500 zz; cp -p ../../../workspace/src/one src/one; chmod 700 src/one; mkdir locked; chmod 500 locked; chmod 700 locked; : > locked/o; chmod 500 locked`,
    stage.upper,
  );
  const marks = marksOf(stage, { z: { whiteout: 'y' }, 'locked/o': { whiteout: 'y' } });
  const tree = treeOf(stage.lower);
  const changes = await user.act(() => listChanges(stage, marks));
  expect(changes.map(lineOf)).toEqual([
    'modified file a',
    'replaced file link was link',
    'deleted file locked/o',
    'added folder n',
    'added file n/n',
    'replaced file old was folder',
    'deleted folder old/sub',
    'deleted file old/sub/four',
    'deleted file old/three',
    'mode-changed file src/one 644 -> 700',
    'replaced folder tool was file',
    'added file tool/t',
    'deleted file z',
    'mode-changed folder zz 700 -> 500',
  ]);
  const result = await user.act(() => commitStage(stage, changes, POLICY));
  expect(result).toMatchObject({ kind: 'rolled-back', failed: { path: 'locked/o' } });
  expect(treeOf(stage.lower)).toEqual(tree);
});

test('a workspace that cannot be written to is left alone', async (context) => {
  const stage = await stagedRun(context, PLAIN_USER, { before: 'echo a > a; chmod 500 .', command: 'echo b > a' });
  const result = await commit(PLAIN_USER, stage);
  expect(result).toMatchObject({ kind: 'rolled-back', failed: { path: '.' } });
  expect(readFileSync(`${stage.lower}/a`, 'utf8')).toBe('a\n');
});

test('a file keeps its owner although it is written anew', async (context) => {
  const [root = PLAIN_USER] = USERS;
  if (process.getuid?.() !== 0) context.skip('only root can give files away');
  const stage = await freshStage(context, root, { before: 'echo a > a; chown 1234:4321 a' });
  writeFileSync(`${stage.upper}/a`, 'b');
  await commitStage(stage, await listChanges(stage, marksOf(stage, {})), POLICY);
  const { uid, gid } = statSync(`${stage.lower}/a`);
  expect([uid, gid, readFileSync(`${stage.lower}/a`, 'utf8')]).toEqual([1234, 4321, 'b']);
});

test('a closed folder that is new is taken back with what is in it', async (context) => {
  if (process.getuid?.() !== 0) context.skip('only root can give folders away');
  const stage = await stagedRun(context, PLAIN_USER, {
    before: 'mkdir foreign',
    command: 'mkdir n; echo n > n/n; chmod 500 n foreign',
  });
  chownSync(`${stage.lower}/foreign`, 0, 0);
  const result = await commit(PLAIN_USER, stage);
  expect(result).toMatchObject({ kind: 'rolled-back', failed: { path: 'foreign' } });
  expect(readdirSync(stage.lower)).toEqual(['foreign']);
});

test('a device is refused', async (context) => {
  const [root = PLAIN_USER] = USERS;
  if (process.getuid?.() !== 0) context.skip('only root can make devices');
  const stage = await freshStage(context, root, { before: 'true' });
  mustSucceed(root, 'mknod null c 1 3; mknod disk b 0 0', stage.upper);
  expect(reasonsOf(await commit(root, stage))).toEqual({
    disk: 'a device is never taken over',
    null: 'a device is never taken over',
  });
});

test('a second name of a file outside is not written through', async (context) => {
  const [user = PLAIN_USER] = USERS;
  const outside = `${places(user).place}/outside`;
  writeFileSync(outside, 'theirs');
  if (user.id !== undefined) chownSync(outside, user.id, user.id);
  const stage = await stagedRun(context, user, { before: `ln ${outside} f`, command: 'echo mine > f' });
  expect((await commit(user, stage)).kind).toBe('committed');
  expect([readFileSync(outside, 'utf8'), readFileSync(`${stage.lower}/f`, 'utf8')]).toEqual(['theirs', 'mine\n']);
});

test('nothing to commit is nothing done', async (context) => {
  const stage = await freshStage(context, USERS[0] ?? PLAIN_USER, { before: 'true' });
  expect(await commitStage(stage, [], POLICY)).toEqual({ kind: 'committed', done: [] });
  expect(readdirSync(stage.lower)).toEqual([]);
});

async function commit(user: User, stage: Stage, policy = POLICY): Promise<CommitResult> {
  return user.act(async () => commitStage(stage, await listChanges(stage, xattrsAs(user)), policy));
}

function reasonsOf(result: CommitResult): Readonly<Record<string, string>> {
  if (result.kind !== 'refused') throw new Error(`it was not refused but ${JSON.stringify(result)}`);
  return Object.fromEntries(result.refused.map(({ path, reason }) => [path, reason]));
}
