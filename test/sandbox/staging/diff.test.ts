import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { chmodSync, cpSync, lstatSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TestContext } from 'vitest';

import { diffStage } from '../../../src/sandbox/staging/diff.js';
import type { DiffLimits } from '../../../src/diff/diff-limits.js';
import { listChanges } from '../../../src/sandbox/staging/list-changes.js';
import type { Stage } from '../../../src/sandbox/staging/stage.js';
import { propertyRuns } from '../../support/property-runs.js';
import { tempFolder } from '../../support/temp-folder.js';
import { freshStage, marksOf, mustSucceed, places, stagedRun, xattrsAs } from './staged-run.js';
import { PLAIN_USER, USERS } from './users.js';

describe.each(USERS)('as $name', (user) => {
  const diffAfter = async (context: TestContext, before: string, command: string, limits?: DiffLimits) => {
    const stage = await stagedRun(context, user, { before, command });
    return user.act(async () => diffStage(stage, await listChanges(stage, xattrsAs(user)), limits));
  };

  test('all that git can say is said as git says it', async (context) => {
    const before = `
      seq 30 > numbers; printf 'no end' > open; echo x > tool; ln -s tool link; printf 'a\\0b' > bin; echo bye > 'gone file'
      echo é > é; echo both > both; echo kind > kind; : > empty-gone`;
    const command = `
      sed -i -e '3s/.*/three/' -e '9d' -e '25a more' numbers; printf 'no end\\nnow' > open; chmod 755 tool both; echo 2 >> both
      rm link; ln -s numbers link; printf 'a\\0c' > bin; rm 'gone file' empty-gone; echo è > é; mkdir d; echo n > "d/a b"
      printf q > 'd/q"\\t'; : > d/empty; rm kind; ln -s both kind`;
    const stage = await stagedRun(context, user, { before, command });
    const { text, leftOut } = await user.act(async () => diffStage(stage, await listChanges(stage, xattrsAs(user))));
    expect(withoutNotes(text)).toBe(gitDiff(user, before, command));
    expect(text).toContain('Added: d, a folder (mode 755)\n');
    expect(leftOut).toEqual([]);
  });

  test('what git does not know stands there as a sentence', async (context) => {
    const before = 'mkdir m gone; chmod 755 m; echo f > f; mkdir k; touch w';
    const command = 'mkfifo p; chmod 700 m; rmdir gone; rm f; mkdir f; rmdir k; echo k > k; chmod 666 w';
    expect((await diffAfter(context, before, command)).text).toBe(
      [
        'Replaced: f, from a file (mode 644) to a folder (mode 755)',
        'diff --git a/f b/f',
        'deleted file mode 100644',
        '--- a/f',
        '+++ /dev/null',
        '@@ -1 +0,0 @@',
        '-f',
        'Deleted: gone, a folder (mode 755)',
        'Replaced: k, from a folder (mode 755) to a file (mode 644)',
        'diff --git a/k b/k',
        'new file mode 100644',
        '--- /dev/null',
        '+++ b/k',
        '@@ -0,0 +1 @@',
        '+k',
        'Changed: m, from a folder (mode 755) to a folder (mode 700)',
        'Added: p, a fifo (mode 644)',
        'diff --git a/w b/w',
        'old mode 100644',
        'new mode 100666',
        '',
      ].join('\n'),
    );
  });

  test('what is too large, too much or unclear is named instead', async (context) => {
    const before = 'seq 1000 > large';
    const command = `echo 1 >> large; echo a > a; echo b > m; echo c > n; echo z > "$(printf 'A\\377')"`;
    const { text, leftOut } = await diffAfter(context, before, command, { fileBytes: 1000, totalCharacters: 300 });
    expect(text.split('\n').filter((line) => line.startsWith('Not') || line.includes('more'))).toEqual([
      String.raw`Not shown: "A\357\277\275", a file that is added: its name is not valid UTF-8`,
      'Not shown: large, a file that is modified: it is larger than 1000 bytes',
      '1 more change is left out of this diff.',
    ]);
    expect(leftOut).toEqual([
      { path: 'A\ufffd', reason: 'its name is not valid UTF-8' },
      { path: 'large', reason: 'it is larger than 1000 bytes' },
      { path: 'n', reason: 'the diff is long enough without it' },
    ]);
  });
});

test('text in another encoding counts as binary', async (context) => {
  const stage = await freshStage(context, USERS[0] ?? PLAIN_USER, { before: 'echo a > a' });
  writeFileSync(`${stage.upper}/a`, Buffer.from([0xe9, 0x0a]));
  const { text } = await diffStage(stage, await listChanges(stage, marksOf(stage, {})));
  expect(text).toBe('diff --git a/a b/a\nBinary files a/a and b/a differ\n');
});

const names = fc.constantFrom('a', 'b c', 'd/e', 'd/f', 'g"h', 'ü', 'tab\tname', '-x', 'line\nbreak', 'd/ ');
const content = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\n', '\r', '\\', 'ö', ' '), maxLength: 60 });
const file = fc.record({ content, mode: fc.constantFrom(0o644, 0o755) });
const tree = fc.dictionary(names, file, { maxKeys: 8, noNullPrototype: true });

test('git makes the second tree of the first with it', async (context) => {
  await fc.assert(
    fc.asyncProperty(tree, tree, async (before, after) => {
      const stage = await freshStage(context, USERS[0] ?? PLAIN_USER, { before: 'true' });
      plant(stage.lower, before);
      plant(stage.upper, after);
      const gone = Object.keys(before).filter((name) => after[name] === undefined);
      plant(stage.upper, Object.fromEntries(gone.map((name) => [name, { content: '', mode: 0o644 }])));
      const marks = marksOf(stage, Object.fromEntries(gone.map((name) => [name, { whiteout: 'y' }])));
      const { text } = await diffStage(stage, await listChanges(stage, marks));
      expect(afterApplying(text, stage)).toEqual(treeAt(withFiles(after)));
    }),
    propertyRuns(10),
  );
});

type Tree = Readonly<Record<string, { readonly content: string; readonly mode: number }>>;

function plant(folder: string, files: Tree): void {
  for (const [name, { content: text, mode }] of Object.entries(files)) {
    mkdirSync(path.dirname(`${folder}/${name}`), { recursive: true });
    writeFileSync(`${folder}/${name}`, text);
    chmodSync(`${folder}/${name}`, mode);
  }
}

function withFiles(files: Tree): string {
  const folder = tempFolder();
  plant(folder, files);
  return folder;
}

function afterApplying(text: string, { lower }: Stage): unknown {
  const folder = tempFolder();
  cpSync(lower, folder, { recursive: true });
  const applied = text === '' || spawnSync('git', ['apply', '-'], { cwd: folder, input: text });
  if (applied !== true && applied.status !== 0 && !isOnlyNotes(text))
    throw new Error(`${applied.stderr.toString()}\n${text}`);
  return treeAt(folder);
}

function treeAt(folder: string): unknown {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  return entries
    .filter((name) => lstatSync(`${folder}/${name}`).isFile())
    .map((name) => [name, lstatSync(`${folder}/${name}`).mode & 0o777, readFileSync(`${folder}/${name}`, 'utf8')]);
}

/** The same commands in a repository, where git knows best. */
function gitDiff(user: (typeof USERS)[number], before: string, command: string): string {
  const script = `
    export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null; git init -q . 2>/dev/null; git config core.fileMode true
    ${before}; git add -A; before=$(git write-tree); ${command}; git add -A
    git diff --cached --no-renames --minimal $before`;
  const text = mustSucceed(user, script, places(user).workspace);
  return text.replaceAll(/^index .*\n/gm, '').replaceAll(/^(@@ .* @@).*$/gm, '$1');
}

function withoutNotes(text: string): string {
  return text.replaceAll(/^(?:Added|Deleted|Replaced|Changed): .*\n/gm, '');
}

function isOnlyNotes(text: string): boolean {
  return withoutNotes(text) === '';
}
