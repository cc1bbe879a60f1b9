import { chmodSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';

import { absolutePath } from '../../../src/core/paths.js';
import { listChanges } from '../../../src/sandbox/staging/list-changes.js';
import { freshStage, lineOf, marksOf, mustSucceed, stagedRun, xattrsAs } from './staged-run.js';
import { PLAIN_USER, USERS } from './users.js';

const BEFORE = `
  mkdir -p src/deep old/sub kept gone/.git empty; echo one > src/one; echo two > src/deep/two; echo three > old/three
  echo four > old/sub/four; echo five > kept/five; echo cfg > gone/.git/config; echo a > a; ln a a2; ln -s a link; mkfifo pipe`;

describe.each(USERS)('as $name', (user) => {
  const listAfter = async (context: Parameters<typeof stagedRun>[0], before: string, command: string) => {
    const stage = await stagedRun(context, user, { before, command });
    const changes = await user.act(() => listChanges(stage, xattrsAs(user)));
    return changes.map(lineOf);
  };

  test('what was added, changed, removed and given another mode is listed by path', async (context) => {
    const lines = await listAfter(
      context,
      BEFORE,
      `echo more >> src/one; chmod 700 src/deep/two; rm a; mkdir -p new/er; echo x > new/er/x; chmod 750 kept; ln -s ../b src/l`,
    );
    expect(lines).toEqual([
      'deleted file a',
      'mode-changed folder kept 755 -> 750',
      'added folder new',
      'added folder new/er',
      'added file new/er/x',
      'mode-changed file src/deep/two 644 -> 700',
      'added link src/l',
      'modified file src/one',
    ]);
  });

  test('what came out as it was is no change', async (context) => {
    const lines = await listAfter(
      context,
      BEFORE,
      `touch a src; echo one > src/one; chmod 600 kept/five; chmod 644 kept/five; rm link; ln -s a link; rm -r kept; mkdir kept
       echo five > kept/five; echo n > n; rm n; mv src/deep/two t; mv t src/deep/two`,
    );
    expect(lines).toEqual([]);
  });

  test('a folder made anew lacks whatever is not in it again', async (context) => {
    const lines = await listAfter(
      context,
      BEFORE,
      'rm -rf old; mkdir -p old/sub; echo new > old/new; chmod 700 old/sub',
    );
    expect(lines).toEqual([
      'added file old/new',
      'mode-changed folder old/sub 755 -> 700',
      'deleted file old/sub/four',
      'deleted file old/three',
    ]);
  });

  test('a renamed folder is deleted here and added there', async (context) => {
    const lines = await listAfter(context, BEFORE, 'mv old older');
    expect(lines).toEqual([
      'deleted folder old',
      'deleted folder old/sub',
      'deleted file old/sub/four',
      'deleted file old/three',
      'added folder older',
      'added folder older/sub',
      'added file older/sub/four',
      'added file older/three',
    ]);
  });

  test('a thing of another kind takes the place of what had its name', async (context) => {
    const lines = await listAfter(
      context,
      BEFORE,
      'rm -r kept; echo file > kept; rm a; mkdir a; echo b > a/b; rm link; echo no > link; rmdir empty; ln -s a empty',
    );
    expect(lines).toEqual([
      'replaced folder a was file',
      'added file a/b',
      'replaced link empty was folder',
      'replaced file kept was folder',
      'deleted file kept/five',
      'replaced file link was link',
    ]);
  });

  test('what lies behind a link is not taken for the workspace', async (context) => {
    const before = 'mkdir real; echo f > real/f; ln -s real d';
    expect(await listAfter(context, before, 'rm d; mkdir d; echo f > d/f')).toEqual([
      'replaced folder d was link',
      'added file d/f',
    ]);
  });

  test('pipes, sockets, hard links and the mode of the workspace are told', async (context) => {
    const lines = await listAfter(context, BEFORE, 'mkfifo p; touch pipe; ln src/one src/same; chmod 700 .');
    expect(lines).toEqual([
      'mode-changed folder . 755 -> 700',
      'added fifo p',
      'modified fifo pipe',
      'added file src/same',
    ]);
  });

  test('every single thing in a removed folder is named', async (context) => {
    expect(await listAfter(context, BEFORE, 'rm -rf gone')).toEqual([
      'deleted folder gone',
      'deleted folder gone/.git',
      'deleted file gone/.git/config',
    ]);
  });

  test('a name that is not UTF-8 is listed with its problem', async (context) => {
    const before = `${BEFORE}; mkdir odd; touch "odd/$(printf 'o\\377')"`;
    const lines = await listAfter(context, before, `echo x > "$(printf 'n\\376')"; rm -r odd`);
    expect(lines).toEqual([
      'added file n\ufffd (its name is not valid UTF-8)',
      'deleted folder odd',
      'deleted file odd/o\ufffd (its name is not valid UTF-8)',
    ]);
  });

  test('a stage in memory is read the same way', async (context) => {
    if (statfsSync('/dev/shm').type !== 0x01021994) context.skip('no tmpfs at /dev/shm');
    const base = mkdtempSync('/dev/shm/tenon-test-');
    onTestFinished(() => rmSync(base, { recursive: true, force: true }));
    chmodSync(base, 0o777);
    const command = 'rm -rf old; mkdir old; rm a';
    const stage = await stagedRun(context, user, { before: BEFORE, command, base: absolutePath(base) });
    const changes = await user.act(() => listChanges(stage, xattrsAs(user)));
    expect(changes.map(lineOf)).toEqual([
      'deleted file a',
      'deleted folder old/sub',
      'deleted file old/sub/four',
      'deleted file old/three',
    ]);
  });
});

test('what cannot be read is listed with its problem', async (context) => {
  const command = 'mkdir closed; echo x > closed/x; chmod 0 closed; chmod 0 a';
  const stage = await stagedRun(context, PLAIN_USER, { before: BEFORE, command });
  const changes = await PLAIN_USER.act(() => listChanges(stage, xattrsAs(PLAIN_USER)));
  expect(changes.map(({ path, kind, problem }) => [path, kind, problem?.slice(0, 17)])).toEqual([
    ['a', 'modified', 'it cannot be read'],
    ['closed', 'added', 'it cannot be read'],
  ]);
});

describe('marks that a kernel may leave', () => {
  const [user = PLAIN_USER] = USERS;

  test('an empty file can stand for a deletion', async (context) => {
    const stage = await freshStage(context, user, { before: 'mkdir d; echo x > d/x; echo y > d/y' });
    mkdirSync(`${stage.upper}/d`);
    for (const name of ['x', 'z']) writeFileSync(`${stage.upper}/d/${name}`, '');
    const marks = marksOf(stage, { d: { opaque: 'x' }, 'd/x': { whiteout: 'y' }, 'd/z': { whiteout: 'y' } });
    expect((await listChanges(stage, marks)).map(lineOf)).toEqual(['deleted file d/x']);
  });

  test('content that lies elsewhere is a problem', async (context) => {
    const stage = await freshStage(context, user, { before: 'mkdir d' });
    mkdirSync(`${stage.upper}/moved`);
    writeFileSync(`${stage.upper}/f`, 'x');
    const marks = marksOf(stage, { moved: { redirect: 'd' }, f: { metacopy: '' } });
    expect((await listChanges(stage, marks)).map(lineOf)).toEqual([
      'added file f (its content is not in the stage)',
      'added folder moved (its content is not in the stage)',
    ]);
  });

  test('a folder of the workspace that is gone meanwhile is a problem', async (context) => {
    const stage = await stagedRun(context, user, { before: BEFORE, command: 'echo x > kept/x' });
    mustSucceed(user, 'rm -r kept', stage.lower);
    expect((await listChanges(stage, xattrsAs(user))).map(lineOf)).toEqual([
      'added folder kept (it has been removed from the workspace meanwhile)',
      'added file kept/x',
    ]);
  });

  test('a reader that answers too little is not believed', async (context) => {
    const stage = await freshStage(context, user, { before: 'true' });
    await expect(listChanges(stage, async () => [])).rejects.toThrow('could not be read');
  });
});
