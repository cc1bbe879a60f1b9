/** Ignore files and patterns that somebody made to stop us: the answer comes, others have their turn, and it can be given up. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import type { Files } from '../../src/core/files.js';
import { absolutePath } from '../../src/core/paths.js';
import { localFiles } from '../../src/exec/local-files.js';
import { readFilePattern } from '../../src/search/file-pattern.js';
import { surroundingsOf } from '../../src/search/ignore-rules.js';
import { walk } from '../../src/search/walk.js';
import type { WalkEnd } from '../../src/search/walk.js';
import { tempFolder } from '../support/temp-folder.js';
import { writeTree } from './trees.js';
import type { Tree } from './trees.js';

const MEGABYTE = 1024 * 1024;

type Walked = { readonly met: readonly string[]; readonly end: WalkEnd };
type WalkedWith = {
  readonly files?: Files;
  readonly signal?: AbortSignal;
  readonly isWanted?: (path: string) => boolean;
};

async function walked(root: string, { files = localFiles, signal, isWanted }: WalkedWith = {}): Promise<Walked> {
  const folder = absolutePath(root);
  const met: string[] = [];
  const end = await walk(
    {
      files,
      root: folder,
      surroundings: await surroundingsOf(folder, folder, files),
      repositories: false,
      maxDepth: 1_000,
      maxEntries: 1_000_000,
      signal: signal ?? new AbortController().signal,
    },
    (each) => {
      if (isWanted?.(each.path) ?? true) met.push(each.path);
      return true;
    },
  );
  return { met, end };
}

function project(tree: Tree): string {
  const root = tempFolder();
  writeTree(root, tree);
  return root;
}

function linesUpTo(bytes: number, line: string): string {
  return `${line}\n`.repeat(Math.floor(bytes / (line.length + 1)));
}

/** Whose names take long to compare with stars between the letters that they are of. */
function projectOfLongNames(count: number, ignoreText: string): string {
  const root = project({ '.gitignore': ignoreText });
  for (let index = 0; index < count; index += 1) {
    writeFileSync(path.join(root, `${'a'.repeat(200)}${index}`), '');
  }
  return root;
}

const STARS = linesUpTo(MEGABYTE / 2, `${'*a'.repeat(40)}*b*`);

describe('an ignore file', () => {
  test.each([
    ['of braces that stand for a thousand texts each', linesUpTo(MEGABYTE, `${'{,,,,,,,,,}'.repeat(3)}a*b`)],
    ['of braces that stand for as many texts as may be', linesUpTo(MEGABYTE, `${'{,,,,,,,}'.repeat(2)}a*b`)],
    ['of many choices one after another', `${'{a,b}'.repeat(9)}\n`.repeat(20_000)],
    ['of many choices and long texts behind them', linesUpTo(MEGABYTE, `${'{a,b}'.repeat(6)}${'{x}'.repeat(1_300)}*`)],
    ['of very many braces in each other', `${'{'.repeat(200_000)}${'}'.repeat(200_000)}\n`],
    ['of many braces in each other, again and again', linesUpTo(MEGABYTE, '{'.repeat(2_000) + '}'.repeat(2_000))],
    ['of sets without an end', linesUpTo(MEGABYTE, '['.repeat(4_000))],
    ['of one endless line', 'x'.repeat(2 * MEGABYTE)],
    ['of very many short rules', linesUpTo(MEGABYTE, 'b')],
  ])('%s is used as far as is reasonable, and that is told', async (_, text) => {
    const root = project({ '.gitignore': `skipped\n${text}\n`, skipped: '', kept: '' });
    expect(await walked(root)).toEqual({
      met: ['.gitignore', 'kept'],
      end: { ignored: 1, unreadable: 0, tooMany: false, rulesLeft: !text.startsWith('[') },
    });
  });

  test('whose rules take too long is no longer used, and that is told', async () => {
    const cheap = await walked(projectOfLongNames(200, `${STARS}a*\n`));
    expect(cheap.end).toMatchObject({ ignored: 200, rulesLeft: false });
    const costly = await walked(projectOfLongNames(200, `a*\n${STARS}`));
    expect(costly.end).toMatchObject({ rulesLeft: true, tooMany: false });
    expect(costly.met.length + costly.end.ignored).toBe(201);
    expect(costly.met.length).toBeGreaterThan(1);
  });

  test('whose rules take too long has the same answer each time', async () => {
    const root = projectOfLongNames(200, `a*\n${STARS}`);
    expect(await walked(root)).toEqual(await walked(root));
  });

  test('whose sets take too long is no longer used either', async () => {
    const set = Array.from({ length: 1_300 }, (_, index) => String.fromCodePoint(0x4e00 + 2 * index)).join('');
    const root = projectOfLongNames(200, linesUpTo(MEGABYTE / 3, `*[${set}]*[${set}]`));
    const { met, end } = await walked(root);
    expect(end).toMatchObject({ ignored: 0, rulesLeft: true });
    expect(met).toHaveLength(201);
  });

  test('in each of many folders does not fill the memory', async () => {
    const names = Array.from({ length: 60 }, (_, index) => 'd/'.repeat(index));
    const text = `skipped\n${linesUpTo(MEGABYTE, `${'x'.repeat(60)}*y*`)}`;
    const root = project(
      Object.fromEntries(names.flatMap((each) => [`${each}.gitignore`, `${each}.ignore`].map((name) => [name, text]))),
    );
    const { met, end } = await walked(root);
    expect(met).toHaveLength(3 * 60 - 1);
    expect(end).toMatchObject({ ignored: 0, rulesLeft: true });
  });

  test('that is too much besides those that are in force is not used, and that is told', async () => {
    const text = linesUpTo(MEGABYTE, `{a,b,c,d}${'x'.repeat(1_000)}*y*`);
    const root = project({ '.ignore': `first\n${text}`, '.gitignore': `second\n${text}`, first: '', second: '' });
    expect(await walked(root)).toEqual({
      met: ['.gitignore', '.ignore', 'second'],
      end: { ignored: 1, unreadable: 0, tooMany: false, rulesLeft: true },
    });
  });

  test('that is longer than is read does not end with half a rule', async () => {
    const beginning = linesUpTo(MEGABYTE - 100, `# ${'x'.repeat(96)}`);
    const filled = beginning + '#'.repeat(MEGABYTE - beginning.length - 4);
    const root = project({ '.gitignore': `${filled}\nkept-not\n`, kep: '', 'kept-not': '' });
    expect(await walked(root)).toMatchObject({ met: ['.gitignore', 'kep', 'kept-not'], end: { rulesLeft: true } });
  });

  test('lets others have their turn while it is compared, and the walk can be given up', async () => {
    const root = projectOfLongNames(200, STARS);
    const controller = new AbortController();
    // From here on, nothing but comparing is left to do.
    const files: Files = {
      ...localFiles,
      async open(file) {
        const opened = await localFiles.open(file);
        return {
          ...opened,
          async close() {
            await opened.close();
            setTimeout(() => controller.abort(new Error('given up')), 0);
          },
        };
      },
    };
    let met = 0;
    const giveUp = walked(root, { files, signal: controller.signal, isWanted: () => (met += 1) > 0 });
    await expect(giveUp).rejects.toThrow('given up');
    expect(met).toBe(0);
  });
});

test('ignore files as people write them are used whole', async () => {
  const rules = Array.from(
    { length: 3_000 },
    (_, index) => `generated-${index}\n*.${index}.tmp\n/out/**/[Bb]in${index}/`,
  );
  const root = project({ '.gitignore': `${rules.join('\n')}\n{a,b{c,d}}.x\n`, 'bd.x': '', 'e.x': '', 'x.17.tmp': '' });
  expect(await walked(root)).toEqual({
    met: ['.gitignore', 'e.x'],
    end: { ignored: 2, unreadable: 0, tooMany: false, rulesLeft: false },
  });
});

describe('a pattern for files', () => {
  test.each([['{'.repeat(200_000) + '}'.repeat(200_000)], ['*a'.repeat(10_000)], [','.repeat(1_000_000)]])(
    'that is too long is refused',
    (text) => {
      expect(() => readFilePattern(text)).toThrow(/^the pattern is too long: it has \d+ characters/);
    },
  );

  test.each([['{'.repeat(2_000) + '}'.repeat(2_000)], ['{a,b}'.repeat(30)], ['{'.repeat(11) + '}'.repeat(11)]])(
    'whose braces stand for too much is refused',
    (text) => {
      expect(() => readFilePattern(text)).toThrow(/braces are too many/);
    },
  );

  test('that takes too long is given up', async () => {
    const pattern = readFilePattern(`${'*a'.repeat(90)}*${'{c,d}'.repeat(9)}`);
    const compareAll = () => Array.from({ length: 5_000 }, (_, index) => pattern.holds(`${'a'.repeat(240)}${index}`));
    expect(compareAll).toThrow(/^the pattern takes too long to compare/);
  });

  test('lets others have their turn while it is compared', async () => {
    const root = projectOfLongNames(500, '');
    const controller = new AbortController();
    const pattern = readFilePattern(`${'*a'.repeat(90)}*${'{c,d}'.repeat(6)}`);
    let asked = 0;
    const isWanted = (each: string): boolean => {
      if (asked === 0) setTimeout(() => controller.abort(new Error('given up')), 0);
      asked += 1;
      return pattern.holds(each);
    };
    await expect(walked(root, { signal: controller.signal, isWanted })).rejects.toThrow('given up');
    expect(asked).toBeLessThan(501);
  });
});
