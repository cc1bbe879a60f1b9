import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';

import { runCli } from '../support/cli.js';
import type { CliOptions, CliResult } from '../support/cli.js';
import { tempFolder } from '../support/temp-folder.js';

const CONFIG = '[tools]\nupdate_plan = false\n';

type Place = {
  readonly home: string;
  readonly project: string;
  /** Runs the program in the project; names of folders are shortened in what it says. */
  readonly tenon: (args: readonly string[], options?: CliOptions) => Promise<CliResult>;
};

function place(files: Readonly<Record<string, string>> = { 'config.toml': CONFIG }): Place {
  const folder = realpathSync(tempFolder());
  const [home, project] = [path.join(folder, 'home'), path.join(folder, 'project')];
  for (const each of [home, path.join(project, '.git'), path.join(project, 'sub'), path.join(project, '.tenon/rules')])
    mkdirSync(each, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(project, '.tenon', name), text);
  const short = (text: string) => text.replaceAll(project, 'PROJECT').replaceAll(home, 'HOME');
  return {
    home,
    project,
    async tenon(args, options = {}) {
      const { code, stdout, stderr } = await runCli(args, { home, cwd: project, ...options });
      return { code, stdout: short(stdout), stderr: short(stderr) };
    },
  };
}

const WARNING = `tenon: warning: this project's own settings are not used, because the folder is not trusted: .tenon/config.toml (in PROJECT). \`tenon trust\` allows them.\n`;

/** Whether the project's settings have taken a tool away. */
const inEffect = ({ stdout }: CliResult) => !stdout.includes('update_plan');

describe("a project's own settings", () => {
  test('have no effect before the folder is trusted, and that is said', async () => {
    const { tenon } = place();
    const { stderr, ...result } = await tenon(['tools']);
    expect({ stderr, effect: inEffect({ stderr, ...result }) }).toEqual({ stderr: WARNING, effect: false });
    expect(await tenon(['call', 'update_plan', '{"plan":[]}'])).toMatchObject({ code: 0, stderr: WARNING });
  });

  test('have once it is, in every folder of the project, until that is revoked', async () => {
    const { tenon, project } = place();
    await tenon(['trust']);
    for (const cwd of [project, path.join(project, 'sub')]) {
      const result = await tenon(['tools'], { cwd });
      expect({ effect: inEffect(result), stderr: result.stderr }).toEqual({ effect: true, stderr: '' });
    }
    await tenon(['trust', '--revoke']);
    const result = await tenon(['tools']);
    expect({ effect: inEffect(result), stderr: result.stderr }).toEqual({ effect: false, stderr: WARNING });
  });

  test('are those of the folder that -C names', async () => {
    const { tenon, home, project } = place();
    const args = ['call', 'update_plan', '{"plan":[]}', '-C', project];
    expect((await tenon(args, { cwd: home })).stderr).toBe(WARNING);
    await tenon(['trust']);
    expect(await tenon(args, { cwd: home })).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^unsupported call: /),
      stderr: '',
    });
    writeFileSync(path.join(project, '.tenon/config.toml'), 'model = 5');
    expect(await tenon(args, { cwd: home })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^tenon: PROJECT\/\.tenon\/config\.toml:1:9: invalid type/),
    });
  });

  test('are those of the folder that a link leads to', async () => {
    const { tenon, home, project } = place();
    const link = path.join(home, 'link');
    symlinkSync(project, link);
    expect(await tenon(['tools'], { cwd: link })).toMatchObject({ stderr: WARNING });
    await tenon(['trust']);
    expect(inEffect(await tenon(['tools'], { cwd: link }))).toBe(true);
  });

  test('in a worktree are trusted on their own', async () => {
    const { tenon, home, project } = place();
    const worktree = path.join(home, 'worktree');
    mkdirSync(path.join(worktree, '.tenon'), { recursive: true });
    writeFileSync(path.join(worktree, '.git'), `gitdir: ${project}/.git/worktrees/worktree\n`);
    writeFileSync(path.join(worktree, '.tenon/config.toml'), CONFIG);
    await tenon(['trust']);
    expect(inEffect(await tenon(['tools'], { cwd: worktree }))).toBe(false);
    await tenon(['trust'], { cwd: worktree });
    expect(inEffect(await tenon(['tools'], { cwd: worktree }))).toBe(true);
  });

  test('cannot be trusted by a flag', async () => {
    const { tenon, project } = place();
    const flag = `projects={"${project}"={trust_level="trusted"}}`;
    const result = await tenon(['tools', '-c', flag]);
    expect(inEffect(result)).toBe(false);
    expect(result.stderr).toMatch(/are not used.*\n.*`projects` is ignored; only HOME\/config\.toml and `tenon trust`/);
  });

  test('cannot trust themselves', async () => {
    const { tenon, project } = place();
    const file = path.join(project, '.tenon/config.toml');
    writeFileSync(file, `${CONFIG}[projects."${project}"]\ntrust_level = "trusted"\n`);
    const result = await tenon(['tools']);
    expect({ effect: inEffect(result), stderr: result.stderr }).toEqual({ effect: false, stderr: WARNING });
  });

  test('with names made to deceive are shown as they are', async () => {
    const { tenon } = place({ 'rules/\u001b[2J\ntenon: all is well\u202e.toml': '' });
    const shown = '.tenon/rules/\\u{1b}[2J tenon: all is well\\u{202e}.toml';
    expect((await tenon(['tools'])).stderr).toContain(`is not trusted: ${shown} (in PROJECT)`);
    expect((await tenon(['trust'])).stdout).toBe(`PROJECT is now trusted. Its own settings are used:\n  ${shown}\n`);
  });

  test("are never the user's own", async () => {
    const { tenon, home } = place();
    mkdirSync(path.join(home, '.tenon'));
    writeFileSync(path.join(home, '.tenon/config.toml'), 'model = 5');
    mkdirSync(path.join(home, 'work'));
    for (const cwd of [home, path.join(home, 'work')])
      expect(await tenon(['tools'], { cwd, env: { HOME: home } })).toMatchObject({ code: 0, stderr: '' });
    const inProject = place();
    expect(await inProject.tenon(['tools'], { home: path.join(inProject.project, '.tenon') })).toMatchObject({
      code: 0,
      stderr: '',
    });
  });
});

describe('tenon trust', () => {
  test('says which folder is trusted and what is used of it, the first time and again', async () => {
    const { tenon } = place({ 'config.toml': CONFIG, 'rules/git.toml': '', 'hooks.toml': '', 'notes.md': '' });
    const used = '  .tenon/config.toml\n  .tenon/hooks.toml\n  .tenon/rules/git.toml\n';
    expect(await tenon(['trust'])).toEqual({
      code: 0,
      stdout: `PROJECT is now trusted. Its own settings are used:\n${used}`,
      stderr: '',
    });
    expect(await tenon(['trust'])).toEqual({
      code: 0,
      stdout: `PROJECT is already trusted. Its own settings are used:\n${used}`,
      stderr: '',
    });
  });

  test('says so when there is nothing to use', async () => {
    const { tenon } = place({});
    expect((await tenon(['trust'])).stdout).toBe('PROJECT is now trusted. It has no settings of its own so far.\n');
  });

  test('takes a folder for the project it is in', async () => {
    const { tenon, home, project } = place({});
    expect(await tenon(['trust', path.join(project, 'sub')], { cwd: home })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^PROJECT\/sub belongs to the project PROJECT\.\nPROJECT is now trusted\./),
    });
    expect(await tenon(['trust', '--revoke'], { cwd: path.join(project, 'sub') })).toEqual({
      code: 0,
      stdout: 'PROJECT/sub belongs to the project PROJECT.\nPROJECT is no longer trusted.\n',
      stderr: '',
    });
  });

  test('--revoke fails for what is not trusted', async () => {
    const { tenon } = place();
    expect(await tenon(['trust', '--revoke'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'tenon: PROJECT was not trusted; `tenon trust --list` shows which folders are\n',
    });
  });

  test('--revoke takes a folder that is gone, or that belongs to another project by now', async () => {
    const { tenon, home, project } = place();
    const inner = path.join(home, 'outer/inner');
    mkdirSync(inner, { recursive: true });
    await tenon(['trust', inner]);
    await tenon(['trust']);
    mkdirSync(path.join(home, 'outer/.git'));
    rmSync(project, { recursive: true });
    for (const folder of [inner, project])
      expect(await tenon(['trust', '--revoke', folder], { cwd: home })).toMatchObject({ code: 0, stderr: '' });
    expect((await tenon(['trust', '--list'], { cwd: home })).stdout).toBe('No folder is trusted.\n');
  });

  test('--list shows every folder, in words or as JSON lines', async () => {
    const { tenon, home } = place();
    expect(await tenon(['trust', '--list'])).toEqual({ code: 0, stdout: 'No folder is trusted.\n', stderr: '' });
    expect(await tenon(['trust', '--list', '--json'])).toEqual({ code: 0, stdout: '', stderr: '' });
    await tenon(['trust']);
    writeFileSync(path.join(home, 'config.toml'), '[projects."/by/config"]\ntrust_level = "trusted"\n');
    const lines = (await tenon(['trust', '--list', '--json'])).stdout.trimEnd().split('\n');
    const [byConfig, byCommand] = lines.map((line) => JSON.parse(line) as { folder: string; since?: string });
    expect([byConfig, byCommand]).toEqual([
      { folder: '/by/config' },
      { folder: 'PROJECT', since: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) },
    ]);
    expect((await tenon(['trust', '--list'])).stdout).toBe(
      `/by/config  (config.toml)\nPROJECT  (${byCommand?.since})\n`,
    );
  });

  test('leaves the last word to config.toml, and says so', async () => {
    const { tenon, home, project } = place();
    const config = path.join(home, 'config.toml');
    writeFileSync(config, `[projects."${project}"]\ntrust_level = "untrusted"\n`);
    expect(await tenon(['trust'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'tenon: PROJECT cannot be trusted: HOME/config.toml calls it untrusted; change that first\n',
    });
    writeFileSync(config, `[projects."${project}"]\ntrust_level = "trusted"\n`);
    expect((await tenon(['trust'])).stdout).toMatch(/^PROJECT is already trusted\./);
    expect(await tenon(['trust', '--revoke'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'tenon: PROJECT is still trusted, because HOME/config.toml says so; change it there\n',
    });
  });

  test.each([
    [['trust', '/no/such/folder'], /^tenon: \/no\/such\/folder: there is no such folder\n$/],
    [['trust', '--list', '.'], /^tenon: --list takes no folder\n$/],
    [['trust', '--json'], /^tenon: --json goes with --list\n$/],
    [['trust', '--list', '--revoke'], /option '--list' cannot be used with option '--revoke'/],
    [['trust', 'a', 'b'], /too many arguments/],
  ])('%j is bad usage', async (args, message) => {
    expect(await place().tenon(args)).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
  });

  test.each([[['trust', '--help']], [['help', 'trust']]])('%j shows help with examples', async (args) => {
    const { code, stdout, stderr } = await runCli(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/Usage: tenon trust.*Examples:/s);
  });

  test('a store that is broken stops every command, and says what to do', async () => {
    const { tenon, home } = place();
    writeFileSync(path.join(home, 'trust.json'), '{');
    for (const args of [['tools'], ['trust'], ['trust', '--revoke'], ['trust', '--list']])
      expect(await tenon(args)).toEqual({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(
          /^tenon: HOME\/trust\.json cannot be used: .* No folder is trusted; repair the file, or remove it/,
        ),
      });
  });
});

describe('the store', () => {
  test('is whole whenever somebody reads it while fifty folders are trusted', async () => {
    const { home, project } = place();
    const library = path.join(import.meta.dirname, '../../dist/index.js');
    const script = `
      import { mkdirSync } from 'node:fs';
      import { trustFolder } from ${JSON.stringify(library)};
      for (let n = 1; n <= 50; n += 1) {
        const folder = ${JSON.stringify(project)} + '/' + n;
        mkdirSync(folder);
        await trustFolder(${JSON.stringify(home)}, folder);
      }`;
    const writer = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
    const seen = [0];
    while ((writer.exitCode ?? writer.signalCode) === null) {
      seen.push(trustedIn(home).length);
      await setImmediate();
    }
    expect({ code: writer.exitCode, last: trustedIn(home).length }).toEqual({ code: 0, last: 50 });
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  });

  test('forgets nobody when several programs trust at once', async () => {
    const { tenon, home, project } = place();
    const folders = Array.from({ length: 8 }, (_, index) => path.join(project, String(index)));
    for (const folder of folders) mkdirSync(path.join(folder, '.git'), { recursive: true });
    const results = await Promise.all(folders.map((folder) => tenon(['trust', folder])));
    expect(results.map(({ code, stderr }) => ({ code, stderr }))).toEqual(folders.map(() => ({ code: 0, stderr: '' })));
    expect(trustedIn(home).toSorted()).toEqual(folders);
  });
});

function trustedIn(home: string): readonly string[] {
  let text: string;
  try {
    text = readFileSync(path.join(home, 'trust.json'), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return Object.keys((JSON.parse(text) as { folders: object }).folders);
}
