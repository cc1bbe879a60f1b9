/** Small trees of files with ignore files in them, as anybody might write them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';

export type Tree = { readonly [path: string]: string };

export function writeTree(root: string, tree: Tree): void {
  for (const [name, content] of Object.entries(tree)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), content);
  }
}

// To ripgrep, a character is a byte: names of one character that is more are left out.
const NAMES = ['a', 'b', 'ab', 'a.c', 'b.c', '.d', 'a-b', 'éé', '𝒳𝒳', 'build'];
const name = fc.constantFrom(...NAMES);
const filePath = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => `${names.join('/')}.x`);

const piece = fc.oneof(
  { weight: 4, arbitrary: name },
  fc.constantFrom('*', '?', '*.x', 'a*', '*b*', '[ab]', '[!a]', '[a-c]*', '{a,b}', '{a.c,*b}.x', '**', '\\a', 'a.x'),
);
const rule = fc
  .tuple(
    fc.constantFrom('', '', '!', '/', '!/'),
    fc.array(piece, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('', '', '/', '/**', ' '),
  )
  .map(([front, pieces, end]) => front + pieces.join('/') + end);
const ignoreText = fc
  .array(fc.oneof({ weight: 9, arbitrary: rule }, fc.constantFrom('# note', '', '[', '{', '\\')), { maxLength: 4 })
  .map((lines) => `${lines.join('\n')}\n`);
const ignorePath = fc
  .tuple(fc.array(name, { maxLength: 2 }), fc.constantFrom('.gitignore', '.gitignore', '.ignore', '.rgignore'))
  .map(([names, file]) => [...names, file].join('/'));

/** Some of them with a repository at the root, or in a folder. */
export function anyTree(content: fc.Arbitrary<string> = fc.constant('text\n')): fc.Arbitrary<Tree> {
  return fc
    .record({
      files: fc.array(fc.tuple(filePath, content), { minLength: 1, maxLength: 15 }),
      ignores: fc.array(fc.tuple(ignorePath, ignoreText), { maxLength: 3 }),
      exclude: fc.option(fc.tuple(fc.constantFrom('', 'a/', 'b/'), ignoreText)),
    })
    .map(({ files, ignores, exclude }) =>
      Object.fromEntries([
        ...files,
        ...ignores,
        ...(exclude === null ? [] : [[`${exclude[0]}.git/info/exclude`, exclude[1]] as const]),
      ]),
    );
}
