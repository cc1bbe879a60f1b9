import { execFile } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { ProposedRule } from '../../src/core/effects.js';
import { ConfigError } from '../../src/core/errors.js';
import { absolutePath } from '../../src/core/paths.js';
import { createRuleBook } from '../../src/rules/rule-book.js';
import { loadRules } from '../../src/rule-files/load-rules.js';
import { ruleText } from '../../src/rule-files/rule-text.js';
import { readRuleFile } from '../../src/rule-files/rule-file.js';
import { saveRules } from '../../src/rule-files/save-rules.js';
import { scriptOf } from '../store/lock-holder.js';
import { propertyRuns } from '../support/property-runs.js';
import { tempFolder } from '../support/temp-folder.js';

const userHome = '/home/u';

function temporaryHome(content?: string) {
  const home = path.join(tempFolder(), 'home');
  const file = path.join(home, 'rules/approved.toml');
  if (content !== undefined) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return { home, file, text: () => readFileSync(file, 'utf8').replaceAll(/\d{4}-\d\d-\d\d/g, 'DATE') };
}

const command = (...words: string[]): ProposedRule => ({ kind: 'command', words, cwd: absolutePath('/project') });

describe('saveRules', () => {
  test('writes each kind of rule and tells where it stands', async () => {
    const { home, file, text } = temporaryHome();
    const rules = await saveRules(
      [
        command('npm', 'run', 'build "x"'),
        { kind: 'read', path: absolutePath('/a/[b]*') },
        { kind: 'write', path: absolutePath('/c') },
        { kind: 'host', host: 'example.com' },
        { kind: 'mcp', server: 'github', tool: 'get' },
      ],
      { home, userHome },
    );
    expect(text()).toBe(
      `
# Allowed on DATE.
[[command]]
pattern = ["npm", "run", "build \\"x\\""]
exact = true
cwd = "/project"
decision = "allow"

# Allowed on DATE.
[[path]]
read = ["/a/[[]b][*]"]
decision = "allow"

# Allowed on DATE.
[[path]]
write = ["/c"]
decision = "allow"

# Allowed on DATE.
[[host]]
host = ["example.com"]
decision = "allow"

# Allowed on DATE.
[[mcp]]
tool = ["github/get"]
decision = "allow"
`.slice(1),
    );
    const said = (line: number) => ({ decision: 'allow', file, line });
    expect(rules).toEqual([
      {
        ...said(2),
        kind: 'command',
        pattern: [['npm'], ['run'], ['build "x"']],
        exact: true,
        cwd: '/project',
        unconfined: false,
      },
      { ...said(9), kind: 'path', access: 'read', patterns: ['/a/[[]b][*]'] },
      { ...said(14), kind: 'path', access: 'write', patterns: ['/c'] },
      { ...said(19), kind: 'host', hosts: ['example.com'] },
      { ...said(24), kind: 'mcp', tools: ['github/get'] },
    ]);
    expect(await loadRules({ home, userHome })).toEqual(rules);
  });

  test('makes a private folder and file, and leaves nothing else behind', async () => {
    const { home, file } = temporaryHome();
    await saveRules([command('a')], { home, userHome });
    const modes = [path.dirname(file), file].map((each) => statSync(each).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600]);
    expect(readdirSync(path.dirname(file))).toEqual(['approved.toml']);
  });

  test('keeps every byte that stood there', async () => {
    const before = '\uFEFF# mine\r\n[[host]]\r\nhost = "a" # é\r\ndecision = "prompt"';
    const { home, file } = temporaryHome(before);
    await saveRules([{ kind: 'host', host: 'b' }], { home, userHome });
    const after = readFileSync(file);
    expect(after.subarray(0, Buffer.byteLength(before)).equals(Buffer.from(before))).toBe(true);
    expect((await loadRules({ home, userHome })).map(({ line }) => line)).toEqual([2, 7]);
  });

  test('does not save what stands there, however it is written', async () => {
    const before = `[[command]]
decision = "allow"
justification = "ours"
cwd = "~/../../project"
exact = true
pattern = [["a"], 'b']
`;
    const { home, file, text } = temporaryHome(before);
    const rules = await saveRules([command('a', 'b'), command('a', 'b')], { home, userHome });
    expect(text()).toBe(before);
    expect(rules.map(({ file: where, line }) => [where, line])).toEqual([
      [file, 1],
      [file, 1],
    ]);
    expect(await saveRules([command('c'), command('c')], { home, userHome })).toHaveLength(2);
    expect(await loadRules({ home, userHome })).toHaveLength(2);
  });

  test('refuses a file with problems and leaves it alone', async () => {
    const before = '[[host]]\nhst = "a"\n';
    const { home, file } = temporaryHome(before);
    const thrown: unknown = await saveRules([command('a')], { home, userHome }).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(ConfigError);
    expect((thrown as Error).message.split('\n')).toContain(`${file}:2: unknown key \`hst\`; did you mean \`host\`?`);
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(readdirSync(path.dirname(file))).toEqual(['approved.toml']);
  });

  test.each<[string, ProposedRule]>([
    ['a host with a wildcard', { kind: 'host', host: '*.example.com' }],
    ['a tool with a wildcard', { kind: 'mcp', server: 'a', tool: '*' }],
    ['a server with a slash', { kind: 'mcp', server: 'a/b', tool: 'c' }],
    ['half a character', command('a', '\uD800')],
    ['no words', command()],
  ])('refuses %s, as the rule would say something else', async (_name, proposed) => {
    const { home, file } = temporaryHome();
    await expect(saveRules([command('fine'), proposed], { home, userHome })).rejects.toBeInstanceOf(ConfigError);
    expect(existsSync(file)).toBe(false);
  });

  test('refuses to make a file too big to be loaded', async () => {
    const before = `#${'x'.repeat(1024 * 1024 - 10)}\n`;
    const { home, file } = temporaryHome(before);
    await expect(saveRules([command('a')], { home, userHome })).rejects.toThrow(
      `${file} cannot be changed: it would be bigger than 1 MiB; remove what is not needed`,
    );
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  test('follows a link instead of replacing it', async () => {
    const { home, file } = temporaryHome('');
    const real = path.join(home, 'dotfiles.toml');
    writeFileSync(real, '# linked\n');
    mkdirSync(path.join(home, 'other/rules'), { recursive: true });
    const link = path.join(home, 'other/rules/approved.toml');
    symlinkSync(real, link);
    const [rule] = await saveRules([command('a')], { home: path.join(home, 'other'), userHome });
    expect([lstatSync(link).isSymbolicLink(), rule?.file]).toEqual([true, link]);
    expect(readFileSync(real, 'utf8')).toMatch(/^# linked\n\n# Allowed/);
    expect(readFileSync(file, 'utf8')).toBe('');
  });

  test('processes that save at once lose nothing of each other', async () => {
    const { home, file } = temporaryHome();
    const code = `
      const { saveRules } = await import('./src/rule-files/save-rules.ts');
      const [, , home = '', name = ''] = process.argv;
      const save = (n: number) => saveRules([{ kind: 'host', host: name + n }], { home, userHome: '/home/u' });
      await Promise.all([save(1), save(2)]);
      await save(3);`;
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const script = await scriptOf(code);
    const run = (name: string) => promisify(execFile)(process.execPath, [script, home, name]);
    await Promise.all(names.map(run));
    const hosts = (await loadRules({ home, userHome })).flatMap((rule) => (rule.kind === 'host' ? rule.hosts : []));
    expect(hosts.toSorted()).toEqual(names.flatMap((name) => [1, 2, 3].map((n) => `${name}${n}`)));
    expect(readdirSync(path.dirname(file))).toEqual(['approved.toml']);
  });
});

describe('a proposal', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.string({
      unit: fc.constantFrom('"', "'", '\\', '\n', '\r', '\t', '\0', '\u007F', '#', '*', '[', '{', ' '),
      minLength: 1,
    }),
  );
  const folder = fc.array(text, { maxLength: 4 }).map((names) => absolutePath(`/${names.join('/')}`));

  test('property: any command reads back as written', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(text, fc.constant('')), { maxLength: 4 }),
        text,
        folder,
        async (rest, name, cwd) => {
          const words = [name, ...rest];
          const toml = ruleText({ kind: 'command', words, cwd });
          const { rules, problems } = await readRuleFile(toml, { file: 'x', home: '/h' });
          expect(problems).toEqual([]);
          expect(rules).toMatchObject([{ pattern: words.map((word) => [word]), exact: true, decision: 'allow' }]);
          expect(createRuleBook(rules).commands(words, [cwd])).toMatchObject([{ certainty: 'yes' }]);
        },
      ),
      propertyRuns(200, 50_000),
    );
  });

  test('property: any path reads back as a pattern for it', async () => {
    await fc.assert(
      fc.asyncProperty(folder, fc.constantFrom('read', 'write'), async (target, kind) => {
        const { rules, problems } = await readRuleFile(ruleText({ kind, path: target }), { file: 'x', home: '/h' });
        expect(problems).toEqual([]);
        expect(createRuleBook(rules).paths(kind, target)).toEqual(rules);
      }),
      propertyRuns(200, 50_000),
    );
  });

  test('property: saving one after the other keeps them all, each once', async () => {
    const proposals = fc.array(
      fc.oneof(
        fc.record({
          kind: fc.constant('command' as const),
          words: fc.array(text, { minLength: 1, maxLength: 3 }),
          cwd: folder,
        }),
        fc.record({ kind: fc.constantFrom('read' as const, 'write' as const), path: folder }),
      ),
      { maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(proposals, async (proposed) => {
        const { home } = temporaryHome();
        const saved = [];
        for (const each of proposed) saved.push(...(await saveRules([each], { home, userHome })));
        expect(saved).toHaveLength(proposed.length);
        expect(await saveRules(proposed, { home, userHome })).toEqual(saved);
        const lines = new Set(saved.map(({ line }) => line));
        expect(await loadRules({ home, userHome })).toHaveLength(lines.size);
      }),
      propertyRuns(15, 3_000),
    );
  });
});
