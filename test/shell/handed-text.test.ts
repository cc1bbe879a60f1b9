import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { handedText } from '../../src/shell/handed-text.js';
import { propertyRuns } from '../support/property-runs.js';
import { tempFolder } from '../support/temp-folder.js';

const PROGRAMS = ['take', 'taketext'];
const read = (line: string | readonly string[]) => handedText(line, PROGRAMS);

describe('a text is handed over by', () => {
  test.each<[string, string | readonly string[], object]>([
    ['the program with one argument', ['take', 'a\nb'], { text: 'a\nb' }],
    ['its other name', ['taketext', 'x'], { text: 'x' }],
    ['a script with a here document', "take <<'EOF'\na\nb\nEOF\n", { text: 'a\nb\n' }],
    ['one without a last line end', "take <<'EOF'\na\nEOF", { text: 'a\n' }],
    ['a tag in double quotes', 'take <<"END"\na\nEND', { text: 'a\n' }],
    ['a bare tag', 'take <<X\na $b\nX', { text: 'a $b\n' }],
    ['a tag that is apart', "take << 'EOF'\na\nEOF", { text: 'a\n' }],
    ['blanks and empty lines around it', "\n  take  <<'EOF'  \na\nEOF\n\n  ", { text: 'a\n' }],
    ['an empty here document', "take <<'EOF'\nEOF", { text: '' }],
    ['lines that only begin like the tag', "take <<'E'\nEa\n E\nE", { text: 'Ea\n E\n' }],
    ['a dash, which takes leading tabs away', "take <<-'EOF'\n\t\ta\n\tEOF", { text: 'a\n' }],
    ['a shell with its script', ['bash', '-lc', "take <<'EOF'\na\nEOF"], { text: 'a\n' }],
    ['a plain shell', ['/bin/sh', '-c', "take <<'EOF'\na\nEOF"], { text: 'a\n' }],
    ['PowerShell', ['pwsh', '-NoProfile', '-Command', "take <<'EOF'\na\nEOF"], { text: 'a\n' }],
    ['cmd', ['cmd', '/c', "take <<'EOF'\na\nEOF"], { text: 'a\n' }],
    ['a folder before it', "cd sub && take <<'EOF'\na\nEOF", { text: 'a\n', folder: 'sub' }],
    ['a folder in single quotes', "cd 'a b$c' && take <<'EOF'\na\nEOF", { text: 'a\n', folder: 'a b$c' }],
    ['a folder in double quotes', 'cd "a b" && take <<X\na\nX', { text: 'a\n', folder: 'a b' }],
    ['an absolute folder', "cd /a/b.c-d && take <<'EOF'\na\nEOF", { text: 'a\n', folder: '/a/b.c-d' }],
  ])('%s', (_, line, expected) => {
    expect(read(line)).toEqual(expected);
  });
});

describe('it is left to the shell when there is', () => {
  const body = "<<'EOF'\na\nEOF";
  test.each<[string, string | readonly string[]]>([
    ['another program', `other ${body}`],
    ['a second argument', ['take', 'a', 'b']],
    ['no argument', ['take']],
    ['an argument beside the text', `take x ${body}`],
    ['a semicolon', `cd x; take ${body}`],
    ['an or', `cd x || take ${body}`],
    ['a pipe', `take ${body.replace('\n', ' | cat\n')}`],
    ['a second folder', `cd a && cd b && take ${body}`],
    ['two words for the folder', `cd a b && take ${body}`],
    ['something before it', `echo hi && take ${body}`],
    ['something after it on its line', `take ${body.replace('\n', ' && echo done\n')}`],
    ['something after it', `take ${body}\necho done`],
    ['a redirection', `take ${body.replace('\n', ' > out\n')}`],
    ['a variable in the folder', `cd $HOME && take ${body}`],
    ['a variable in a quoted folder', `cd "$HOME/x" && take ${body}`],
    ['a folder that a shell expands', `cd ~/x && take ${body}`],
    ['a pattern for the folder', `cd a* && take ${body}`],
    ['an option of cd', `cd -P && take ${body}`],
    ['the folder before', `cd - && take ${body}`],
    ['a quoted option', `cd '-P' && take ${body}`],
    ['an empty folder', `cd '' && take ${body}`],
    ['no end to it', "take <<'EOF'\na\n"],
    ['a variable of its own', `A=1 take ${body}`],
    ['a comment', `take ${body}\n# done`],
    ['a text in a string', "take '*** Begin'"],
    ['a shell with more words', ['bash', '-lc', `take ${body}`, 'x']],
    ['an option of the shell', ['bash', '-x', '-c', `take ${body}`]],
  ])('%s', (_, line) => {
    expect(read(line)).toBeUndefined();
  });
});

test('what is read is what a shell would hand over', () => {
  const folder = tempFolder();
  const bin = path.join(folder, 'bin');
  mkdirSync(bin);
  for (const name of ['a', 'b c', '-d']) mkdirSync(path.join(folder, name));
  writeFileSync(path.join(bin, 'take'), '#!/bin/sh\nprintf "%s\\0" "$PWD"\ncat\n');
  chmodSync(path.join(bin, 'take'), 0o755);
  const env = { PATH: `${bin}:/usr/bin:/bin` };
  const piece = fc.constantFrom(
    'cd',
    'a',
    '"b c"',
    "'b c'",
    '-d',
    '&&',
    'take',
    '<<',
    '<<-',
    "'E'",
    '"E"',
    'E',
    ';',
    '|',
    '#',
  );
  const line = fc.constantFrom('E', 'x', ' E', '\tE', 'E E', '', '\ty', 'EE');
  const likely = fc.constantFrom("take <<'E'", "cd a && take <<'E'", 'cd "b c" && take <<-"E"', "  take  << 'E' ");
  const script = fc
    .tuple(
      fc.oneof(
        likely,
        fc.array(piece, { maxLength: 7 }).map((words) => words.join(' ')),
      ),
      fc.array(line, { maxLength: 6 }),
    )
    .map(([first, rest]) => [first, ...rest].join('\n'));
  fc.assert(
    fc.property(script, (text) => {
      const found = read(text);
      fc.pre(found !== undefined);
      const shown = execFileSync('bash', ['-c', text], {
        cwd: folder,
        env,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      expect(shown).toBe(`${path.resolve(folder, found?.folder ?? '.')}\0${found?.text}`);
    }),
    propertyRuns(60, 15_000),
  );
});

test('no text makes the reader fail or wait', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), fc.array(fc.string()), (script, argv) => {
      read(script);
      read(`cd x && take <<'E'\n${script}`);
      read(argv);
    }),
    propertyRuns(300),
  );
  expect(read(`take <<'E'\n${'E \n'.repeat(200_000)}`)).toBeUndefined();
});
