import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import {
  ConfigError,
  isTrusted,
  loadConfig,
  loadSettings,
  revokeTrust,
  trustFolder,
  trustedFolders,
} from '../../src/index.js';
import { leaveLock } from '../store/lock-holder.js';
import { tempFolder } from '../support/temp-folder.js';

type Place = { readonly home: string; readonly project: string };

/** A home and a project; `config` is the user's, the files are the project's. */
function place(files: Readonly<Record<string, string>> = {}, config?: (project: string) => string): Place {
  const folder = realpathSync(tempFolder());
  const [home, project] = [path.join(folder, 'home'), path.join(folder, 'project')];
  for (const each of [home, project, path.join(project, '.git'), path.join(project, '.tenon/rules')])
    mkdirSync(each, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(project, '.tenon', name), text);
  if (config) writeFileSync(path.join(home, 'config.toml'), config(project));
  return { home, project };
}

async function load({ home, project }: Place, overrides: readonly string[] = []) {
  const warnings: string[] = [];
  const { config, project: found } = await loadSettings({
    home,
    cwd: project,
    overrides,
    onWarning: (message) => warnings.push(message.replaceAll(project, 'PROJECT').replaceAll(home, 'HOME')),
  });
  return { config, trusted: found.trusted, warnings };
}

const NOT_USED = (names: string) =>
  `this project's own settings are not used, because the folder is not trusted: ${names} (in PROJECT). \`tenon trust\` allows them.`;

describe('a folder', () => {
  test('is trusted by itself, not with what lies above or below it', async () => {
    const { home, project } = place();
    await trustFolder(home, project);
    const folders = [project, path.dirname(project), path.join(project, '.git'), `${project}x`];
    expect(folders.map((folder) => isTrusted(home, folder, undefined))).toEqual([true, false, false, false]);
  });

  test('is trusted under its real path, whichever link was named', async () => {
    const { home, project } = place();
    const link = path.join(home, 'link');
    symlinkSync(project, link);
    await trustFolder(home, link);
    expect([project, link].map((folder) => isTrusted(home, folder, undefined))).toEqual([true, false]);
    expect(await revokeTrust(home, link)).toBe(true);
    expect(isTrusted(home, project, undefined)).toBe(false);
  });

  test('must be there to be trusted, but not to lose that', async () => {
    const { home, project } = place();
    await trustFolder(home, project);
    rmSync(project, { recursive: true });
    await expect(trustFolder(home, project)).rejects.toThrow(new ConfigError(`${project}: there is no such folder`));
    expect([await revokeTrust(home, project), await revokeTrust(home, project)]).toEqual([true, false]);
  });

  test('that gave way to a link does not lend its trust to where that leads', async () => {
    const { home, project } = place({ 'config.toml': 'model = "m"' });
    const before = path.join(home, 'before');
    mkdirSync(before);
    await trustFolder(home, before);
    rmSync(before, { recursive: true });
    symlinkSync(project, before);
    expect((await loadSettings({ home, cwd: before })).project).toMatchObject({ root: project, trusted: false });
    expect(await revokeTrust(home, before)).toBe(true);
  });

  test('trusted twice keeps the time of the first', async () => {
    const { home, project } = place();
    await trustFolder(home, project);
    const first = trustedFolders(home, undefined);
    await trustFolder(home, project);
    expect(trustedFolders(home, undefined)).toEqual(first);
    expect(first).toEqual([{ folder: project, since: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) }]);
  });
});

describe('the store', () => {
  test('is a private file in a private folder, and the only one left behind', async () => {
    const { project, home: parent } = place();
    const home = path.join(parent, 'new');
    await trustFolder(home, project);
    expect(readdirSync(home)).toEqual(['trust.json']);
    const modes = [home, path.join(home, 'trust.json')].map((file) => (statSync(file).mode & 0o777).toString(8));
    expect(modes).toEqual(['700', '600']);
    expect(JSON.parse(readFileSync(path.join(home, 'trust.json'), 'utf8'))).toEqual({
      version: 1,
      folders: { [project]: { since: expect.any(String) } },
    });
  });

  test('is replaced, never written over: who has the old one open reads it whole', async () => {
    const { home, project } = place();
    await trustFolder(home, project);
    const file = path.join(home, 'trust.json');
    const before = readFileSync(file, 'utf8');
    const descriptor = openSync(file, 'r');
    await revokeTrust(home, project);
    expect(readFileSync(descriptor, 'utf8')).toBe(before);
    closeSync(descriptor);
    expect(trustedFolders(home, undefined)).toEqual([]);
  });

  test('stands as it was when its writer was killed, who holds nobody up', async () => {
    const { home, project } = place();
    await trustFolder(home, project);
    await leaveLock(path.join(home, 'trust.json'));
    expect(readdirSync(home)).toHaveLength(2);
    expect(isTrusted(home, project, undefined)).toBe(true);
    expect(await revokeTrust(home, project)).toBe(true);
    expect(readdirSync(home)).toEqual(['trust.json']);
  });

  test('is not made for who takes back what was never given', async () => {
    const { home, project } = place();
    const missing = path.join(home, 'missing');
    expect([await revokeTrust(missing, project), existsSync(missing)]).toEqual([false, false]);
  });

  test('hears of one taking back at a time', async () => {
    const { home, project } = place();
    await trustFolder(home, project);
    const answers = await Promise.all([revokeTrust(home, project), revokeTrust(home, project)]);
    expect(answers.toSorted()).toEqual([false, true]);
  });

  test.each([
    ['', /Unexpected end of JSON input/],
    ['{"version":1,"fold', /JSON/],
    ['[]', /not a list of trusted folders/],
    ['{"version":2,"folders":{}}', /not a list of trusted folders that this version knows/],
    ['{"version":1,"folders":{"/":true}}', /not a list of trusted folders/],
  ])('that is broken trusts nothing and is not written over: %j', async (text, problem) => {
    const { home, project } = place({ 'config.toml': '' }, (folder) => `projects."${folder}".trust_level = "trusted"`);
    const file = path.join(home, 'trust.json');
    writeFileSync(file, text);
    const explained = new RegExp(
      `trust\\.json cannot be used: .*${problem.source}.* remove it and trust your folders again$`,
    );
    for (const step of [() => isTrusted(home, project, undefined), () => trustedFolders(home, undefined)])
      expect(step).toThrow(explained);
    for (const change of [trustFolder, revokeTrust]) await expect(change(home, project)).rejects.toThrow(explained);
    await expect(load({ home, project })).rejects.toThrow(ConfigError);
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(readdirSync(home).toSorted()).toEqual(['config.toml', 'trust.json']);
  });

  test('in a folder that cannot be made is explained', async () => {
    const { project } = place();
    await expect(trustFolder('/proc/nowhere', project)).rejects.toThrow(
      /^\/proc\/nowhere\/trust\.json cannot be changed: /,
    );
  });
});

describe("a project's settings", () => {
  test('are announced and not even parsed while it is not trusted', async () => {
    const here = place({ 'config.toml': 'this is = = no TOML', 'rules/git.toml': '' });
    expect(await load(here)).toEqual({
      config: {},
      trusted: false,
      warnings: [NOT_USED('.tenon/config.toml, .tenon/rules/git.toml')],
    });
  });

  test("lie between the user's and the flags once it is", async () => {
    const here = place(
      { 'config.toml': 'model = "project"\nsandbox_mode = "read-only"\n[features]\nshell_tool = false\n' },
      () =>
        'model = "user"\noutput_ansi = "keep"\nsandbox_mode = "workspace-write"\n[features]\nunified_exec = false\n',
    );
    await trustFolder(here.home, here.project);
    expect(await load(here, ['model=flag'])).toEqual({
      config: {
        model: 'flag',
        output_ansi: 'keep',
        sandbox_mode: 'read-only',
        features: { shell_tool: false, unified_exec: false },
      },
      trusted: true,
      warnings: [],
    });
  });

  test('are nothing to speak of where there are none', async () => {
    expect(await load(place())).toEqual({ config: {}, trusted: false, warnings: [] });
  });

  test('count no more when the trust is taken back', async () => {
    const here = place({ 'config.toml': 'model = "m"' });
    await trustFolder(here.home, here.project);
    await revokeTrust(here.home, here.project);
    expect(await load(here)).toMatchObject({ config: {}, warnings: [NOT_USED('.tenon/config.toml')] });
  });

  test('are not looked for by who does not say where the work is done', async () => {
    const { home } = place({ 'config.toml': 'model = "m"' }, () => 'model = "user"');
    expect(await loadConfig({ home })).toEqual({ model: 'user' });
  });

  test("are explained as the user's are", async () => {
    const here = place({ 'config.toml': 'aproval_policy = "never"\n' });
    await trustFolder(here.home, here.project);
    const told = 'unknown key `aproval_policy` is ignored; did you mean `approval_policy`?';
    expect((await load(here)).warnings).toEqual([`PROJECT/.tenon/config.toml:1:1: ${told}`]);

    const file = path.join(here.project, '.tenon/config.toml');
    writeFileSync(file, 'sandbox_mode = "open"');
    await expect(load(here)).rejects.toThrow(`${file}:1:16: unknown variant \`open\`, expected one of`);
    writeFileSync(file, 'model = ');
    await expect(load(here)).rejects.toThrow(/project\/\.tenon\/config\.toml:1:\d+ is not valid TOML: /);
  });
});

describe('the table `projects`', () => {
  const level = (word: string) => (project: string) => `[projects."${project}"]\ntrust_level = "${word}"\n`;

  test('trusts a folder', async () => {
    expect(await load(place({ 'config.toml': 'model = "m"' }, level('trusted')))).toMatchObject({
      config: { model: 'm' },
      trusted: true,
      warnings: [],
    });
  });

  test('has the last word when it does not', async () => {
    const here = place({ 'config.toml': 'model = "m"' }, level('untrusted'));
    await trustFolder(here.home, here.project);
    expect(await load(here)).toMatchObject({ trusted: false, warnings: [NOT_USED('.tenon/config.toml')] });
  });

  test('hears through a link only who does not trust', async () => {
    const here = place({ 'config.toml': 'model = "m"' });
    const link = path.join(here.home, 'link');
    symlinkSync(here.project, link);
    const trusted = async (word: string) => {
      writeFileSync(path.join(here.home, 'config.toml'), level(word)(link));
      return (await load(here)).trusted;
    };
    expect(await trusted('trusted')).toBe(false);
    await trustFolder(here.home, here.project);
    expect([await trusted('trusted'), await trusted('untrusted')]).toEqual([true, false]);
  });

  test.each([
    ['a flag', (project: string) => [`projects={"${project}"={trust_level="trusted"}}`]],
    ['a flag with dots', (project: string) => [`projects.${project}.trust_level=trusted`]],
  ])('is ignored in %s, with a word about it', async (_, overrides) => {
    const here = place({ 'config.toml': 'model = "m"' });
    const { config, trusted, warnings } = await load(here, overrides(here.project));
    expect({ config, trusted, warnings: warnings.map((text) => text.replace(/^-c .*?: /, '')) }).toEqual({
      config: {},
      trusted: false,
      warnings: [
        NOT_USED('.tenon/config.toml'),
        '`projects` is ignored; only HOME/config.toml and `tenon trust` say which folders are trusted',
      ],
    });
  });

  test("is ignored in a project's file, whichever folder it names", async () => {
    const here = place({}, level('trusted'));
    writeFileSync(
      path.join(here.project, '.tenon/config.toml'),
      'model = "m"\n[projects."/other"]\ntrust_level = "trusted"',
    );
    expect(await load(here)).toEqual({
      config: { model: 'm', projects: { [here.project]: { trust_level: 'trusted' } } },
      trusted: true,
      warnings: [
        'PROJECT/.tenon/config.toml:2:1: `projects` is ignored; only HOME/config.toml and `tenon trust` say which folders are trusted',
      ],
    });
  });

  test.each([
    ['projects = 3', '1:12: invalid type: integer `3`, expected a record at `projects`'],
    ['projects."/x" = "trusted"', '1:17: invalid type: string "trusted", expected an object at `projects./x`'],
    ['projects."/x".trust_levl = "untrusted"', '1:1: missing field `projects./x.trust_level`'],
    [
      'projects."/x".trust_level = "yes"',
      '1:29: unknown variant `yes`, expected one of `trusted`, `untrusted` at `projects./x.trust_level`',
    ],
    [
      'projects."~/x".trust_level = "trusted"',
      '1:1: invalid value an object at `projects`: name each folder by its whole path, from / on',
    ],
  ])('that is wrong is explained: %s', async (toml, message) => {
    const here = place({}, () => toml);
    await expect(load(here)).rejects.toThrow(new ConfigError(`${path.join(here.home, 'config.toml')}:${message}`));
  });

  test('is listed together with the store', async () => {
    const { home, project } = place();
    const [never, link] = [path.join(home, 'never'), path.join(home, 'link')];
    mkdirSync(never);
    symlinkSync(project, link);
    await trustFolder(home, never);
    await trustFolder(home, project);
    const projects = {
      '/by/config/': { trust_level: 'trusted' },
      [never]: { trust_level: 'untrusted' },
      [link]: { trust_level: 'trusted' },
    } as const;
    expect(trustedFolders(home, projects)).toEqual([
      { folder: '/by/config' },
      { folder: project, since: expect.any(String) },
    ]);
  });
});
