import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { parse, stringify } from 'smol-toml';
import { describe, expect, test } from 'vitest';

import { ConfigError, saveSetting } from '../../src/index.js';
import { propertyRuns } from '../support/property-runs.js';
import { tempFolder } from '../support/temp-folder.js';
import { failureOf, settingsPlace } from './settings-place.js';

/** The file after a value was set in it, and what was told. */
async function saved(before: string | undefined, key: string, value: string) {
  const file = path.join(tempFolder(), 'config.toml');
  if (before !== undefined) writeFileSync(file, before);
  const { where, changed } = await saveSetting({ file, kind: 'user', key, value });
  return { text: readFileSync(file, 'utf8'), where: where.replace(file, 'FILE'), changed };
}

/** What was said when it was refused; the file is as before. */
async function refused(before: string, key: string, value: string): Promise<string> {
  const file = path.join(tempFolder(), 'config.toml');
  writeFileSync(file, before);
  const message = await saveSetting({ file, kind: 'user', key, value }).then(
    () => 'it was not refused',
    (error: unknown) => (error instanceof ConfigError ? error.message : String(error)),
  );
  expect(readFileSync(file, 'utf8')).toBe(before);
  expect(readdirSync(path.dirname(file))).toEqual(['config.toml']);
  return message.replaceAll(file, 'FILE');
}

const FILE = `# My settings
model = "gpt-5"   # for now

# What I like.
[features]
  undo = true
unified_exec = true # yes

[model_providers.box]
base_url = 'http://box.example/v1'
`;

describe('a value', () => {
  test('is replaced, and the rest of the file stays', async () => {
    expect(await saved(FILE, 'model', 'gpt-5.5')).toEqual({
      text: FILE.replace('"gpt-5"', '"gpt-5.5"'),
      where: 'FILE:2:9',
      changed: true,
    });
  });

  test('is added to its table', async () => {
    expect(await saved(FILE, 'features.shell_tool', 'false')).toEqual({
      text: FILE.replace('exec = true # yes\n', 'exec = true # yes\nshell_tool = false\n'),
      where: 'FILE:8:14',
      changed: true,
    });
  });

  test('is added with its table', async () => {
    const table = '\n[model_prices."gpt-5.5"]\n';
    const { text } = await saved(
      `${FILE}${table}input = 1\noutput = 2\n`,
      'model_prices."gpt-5.5".cached_input',
      '0.5',
    );
    expect(text).toBe(`${FILE}${table}input = 1\noutput = 2\ncached_input = 0.5\n`);
    expect((await saved(FILE, 'sandbox.limits.processes', '9')).text).toBe(
      `${FILE}\n[sandbox.limits]\nprocesses = 9\n`,
    );
  });

  test('of a price can be set before the other', async () => {
    const { text } = await saved(FILE, 'model_prices."gpt-5.5".input', '1');
    expect(text).toBe(`${FILE}\n[model_prices."gpt-5.5"]\ninput = 1\n`);
  });

  test('that is there already is not written again', async () => {
    expect(await saved(FILE, 'features.undo', 'true')).toEqual({ text: FILE, where: 'FILE:6:10', changed: false });
  });

  test('makes the file, for the user alone', async () => {
    const file = path.join(tempFolder(), 'new', 'config.toml');
    await saveSetting({ file, kind: 'user', key: 'model', value: 'm' });
    expect(readFileSync(file, 'utf8')).toBe('model = "m"\n');
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
    expect(readdirSync(path.dirname(file))).toEqual(['config.toml']);
  });

  test.each([
    ['["a", "b"] # c', '["a", "b"]'],
    ['[]', '[]'],
  ])('is written as it was typed: %s', async (value, written) => {
    expect((await saved('', 'sandbox.hide', value)).text).toBe(`[sandbox]\nhide = ${written}\n`);
  });

  test('keeps the mode of the file, and the link that leads to it', async () => {
    const folder = tempFolder();
    const [file, link] = [path.join(folder, 'real.toml'), path.join(folder, 'config.toml')];
    writeFileSync(file, FILE, { mode: 0o640 });
    symlinkSync(file, link);
    await saveSetting({ file: link, kind: 'user', key: 'model', value: 'm' });
    expect(readFileSync(file, 'utf8')).toBe(FILE.replace('gpt-5', 'm'));
    expect((statSync(file).mode & 0o777).toString(8)).toBe('640');
  });

  test('property: any text can be set, and reads back', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('1\nmodel = "x"', '"a" # b', "'''", '# no', ' '),
    );
    await fc.assert(
      fc.asyncProperty(text, async (typed) => {
        const value = stringify({ v: typed }).slice('v = '.length);
        const after = await saved(FILE, 'developer_instructions', value);
        expect(parse(after.text)).toEqual({ ...parse(FILE), developer_instructions: typed });
        const plain = await saved(FILE, 'developer_instructions', typed).catch((error: unknown) => error);
        if (plain instanceof ConfigError) return;
        expect(parse((plain as typeof after).text)).toMatchObject(parse(FILE));
      }),
      propertyRuns(30),
    );
  });

  test('set by many at once are all there in the end', async () => {
    const file = path.join(tempFolder(), 'config.toml');
    writeFileSync(file, FILE);
    const names = ['a', 'b', 'c', 'd', 'e'];
    await Promise.all(
      names.map(async (name) => saveSetting({ file, kind: 'user', key: `tools.${name}`, value: 'true' })),
    );
    expect(parse(readFileSync(file, 'utf8'))).toEqual({
      ...parse(FILE),
      tools: Object.fromEntries(names.map((name) => [name, true])),
    });
  });
});

describe('nothing is written', () => {
  test.each([
    [
      'a value that does not fit',
      'sandbox_mode',
      'open',
      /^sandbox_mode was not set: unknown variant `open`, expected/,
    ],
    ['a number where a text belongs', 'model', '5', /^model was not set: invalid type: integer `5`, expected a string/],
    ['a key that nobody knows', 'modell', 'x', /^modell was not set: unknown key `modell`; did you mean `model`\?$/],
    ['a key of another table', 'features.model', 'x', /unknown key `features\.model`; `model` has to stand above/],
    ['a table that something else is in', 'features', '{ undo = false }', /^features was not set: that would change/],
    ['what is below a plain value', 'model.x', '1', /^model\.x was not set: that would change something else in FILE/],
    [
      'half of a table',
      'model_families.x.truncation.mode',
      'bytes',
      /missing field `model_families\.x\.truncation\.limit`/,
    ],
    ['no name', 'a..b', '1', /^`a\.\.b` is no name of a setting/],
    [
      'a secret that does not fit',
      'model_providers.box.http_headers',
      'abc',
      /invalid value \(hidden\) at `model_providers\.box\.http_headers`: expected a table$/,
    ],
    [
      'a secret that is no text',
      'model_providers.box.http_headers.B',
      '3',
      /invalid value \(hidden\) at `model_providers\.box\.http_headers\.B`: expected a string$/,
    ],
    ['an address that is none', 'model_providers.box.base_url', 'box', /base_url`: write it as http:\/\/host:port\/v1/],
    ['what only looks like a secret', 'limits.tokens', 'x', /string "x", expected a number at `limits\.tokens`/],
  ])('for %s', async (_, key, value, message) => {
    expect(await refused(FILE, key, value)).toMatch(message);
  });

  test('into a file that is not TOML', async () => {
    expect(await refused('model = ', 'model', 'x')).toMatch(/^FILE:1:\d+ is not valid TOML/);
  });

  test('when a new value makes an older table wrong', async () => {
    expect(await refused('[tool_config]\ninclude_plan_tool = true\n', 'tool_config.include_plan_tool', 'x')).toMatch(
      /^tool_config\.include_plan_tool was not set: invalid type: string "x"/,
    );
  });

  test('and not a folder is made either', async () => {
    const folder = path.join(tempFolder(), 'new');
    const file = path.join(folder, 'config.toml');
    await expect(saveSetting({ file, kind: 'user', key: 'model', value: '5' })).rejects.toBeInstanceOf(ConfigError);
    expect(existsSync(folder)).toBe(false);
  });
});

test('what was wrong before does not keep another value from being set', async () => {
  const before = 'sandbox_mode = "open"\nmodle = "x"\n';
  expect((await saved(before, 'model', 'm')).text).toBe(`${before}model = "m"\n`);
  expect((await saved(before, 'sandbox_mode', 'read-only')).text).toBe('sandbox_mode = "read-only"\nmodle = "x"\n');
});

describe("a project's file", () => {
  const save = async (project: string, key: string, value: string) =>
    saveSetting({ file: path.join(project, '.tenon/config.toml'), kind: 'project', key, value });

  test('can be read by others, as its other files can', async () => {
    const { project } = await settingsPlace();
    await save(project, 'model', 'm');
    expect((statSync(path.join(project, '.tenon/config.toml')).mode & 0o777).toString(8)).toBe('644');
  });

  test('cannot say which folders are trusted', async () => {
    const place = await settingsPlace();
    expect(await failureOf(save(place.project, 'projects."/x".trust_level', 'trusted'), place)).toMatch(
      /a project cannot say which folders are trusted/,
    );
  });

  test('is not followed out of the project', async () => {
    const place = await settingsPlace({ home: { 'other.toml': 'model = "m"\n' } });
    const target = path.join(place.home, 'other.toml');
    const link = path.join(place.project, '.tenon/config.toml');
    symlinkSync(target, link);
    expect(await failureOf(save(place.project, 'model', 'x'), place)).toBe(
      'ConfigError: PROJECT/.tenon/config.toml leads out of the project, to HOME/other.toml; it is not changed',
    );
    rmSync(path.join(place.project, '.tenon'), { recursive: true });
    mkdirSync(path.join(place.home, 'elsewhere'));
    symlinkSync(path.join(place.home, 'elsewhere'), path.join(place.project, '.tenon'));
    expect(await failureOf(save(place.project, 'model', 'x'), place)).toMatch(
      /leads out of the project, to HOME\/elsewhere/,
    );
    expect([readFileSync(target, 'utf8'), readdirSync(path.join(place.home, 'elsewhere'))]).toEqual([
      'model = "m"\n',
      [],
    ]);
  });
});
