import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { runCli } from '../support/cli.js';
import { tempFolder } from '../support/temp-folder.js';

const TOML = `# mine
model = "gpt-5.5"

[features]
undo = false # so

[model_providers.box]
base_url = "http://box.example/v1"
http_headers = { Authorization = "Bearer abc" }

[profiles.work]
model = "other"
`;

/** A home with settings, and a project. */
function setUp(toml = TOML) {
  const folder = realpathSync(tempFolder());
  const [home, cwd] = [path.join(folder, 'home'), path.join(folder, 'project')];
  for (const each of [home, path.join(cwd, '.git')]) mkdirSync(each, { recursive: true });
  const file = path.join(home, 'config.toml');
  writeFileSync(file, toml);
  const config = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCli(['config', ...args], { home, cwd });
    const inWords = (text: string) => text.replaceAll(home, 'HOME').replaceAll(cwd, 'PROJECT');
    return { code, stdout: inWords(stdout), stderr: inWords(stderr) };
  };
  return { home, cwd, file, config };
}

describe('tenon config show', () => {
  test('shows what holds as TOML, with where it is set', async () => {
    const { config } = setUp();
    const { code, stdout, stderr } = await config('show', '--origin', '-p', 'work', '-s', 'read-only');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.split('\n').filter((line) => !line.endsWith('# default'));
    expect(lines).toEqual([
      'model = "other"  # profile work, HOME/config.toml:12',
      'model_providers.box.base_url = "http://box.example/v1"  # HOME/config.toml:8',
      'model_providers.box.http_headers.Authorization = "(hidden)"  # HOME/config.toml:9',
      'sandbox_mode = "read-only"  # --sandbox read-only',
      'features.undo = false  # HOME/config.toml:5',
      'profile = "work"  # --profile work',
      'profiles.work.model = "other"  # HOME/config.toml:12',
      '',
    ]);
    expect(stdout).toContain('approval_policy = "on-request"  # default\n');
  });

  test('shows one value alone, a table, and JSON', async () => {
    const { config } = setUp();
    expect(await config('show', 'model')).toEqual({ code: 0, stdout: 'gpt-5.5\n', stderr: '' });
    expect((await config('show', 'model_providers')).stdout).toBe(
      'model_providers.box.base_url = "http://box.example/v1"\nmodel_providers.box.http_headers.Authorization = "(hidden)"\n',
    );
    expect(JSON.parse((await config('show', '--json')).stdout)).toMatchObject({
      model: 'gpt-5.5',
      features: { undo: false, shell_tool: true },
      model_providers: { box: { http_headers: { Authorization: '(hidden)' } } },
    });
    expect(JSON.parse((await config('show', '--json', '--origin', 'model')).stdout)).toEqual({
      key: 'model',
      value: 'gpt-5.5',
      origin: { kind: 'user', file: 'HOME/config.toml', line: 2, column: 9 },
    });
  });

  test('says what is not set, what there is not, and what is wrong', async () => {
    const { config } = setUp();
    expect(await config('show', 'model_verbosity')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'tenon: model_verbosity is not set\n',
    });
    expect(await config('show', 'modell')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'tenon: there is no setting `modell`; did you mean `model`?\n',
    });
    expect(await config('show', '-s', 'nope')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^tenon: --sandbox nope: unknown variant `nope`/),
    });
    expect(await config('show', '--strict-config', '-c', 'modell=x')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'tenon: -c modell=x: unknown key `modell`; did you mean `model`?\n',
    });
  });
});

describe('tenon config set', () => {
  test('changes that value and nothing else, and says where', async () => {
    const { config, file } = setUp();
    expect(await config('set', 'features.undo', 'true')).toEqual({
      code: 0,
      stdout: 'features.undo is set in HOME/config.toml:5:8\n',
      stderr: '',
    });
    expect(readFileSync(file, 'utf8')).toBe(TOML.replace('undo = false', 'undo = true'));
    expect(await config('set', 'features.undo', 'maybe')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'tenon: features.undo was not set: invalid type: string "maybe", expected a boolean at `features.undo`\n',
    });
  });

  test("sets in the project's file, and says when that does not hold", async () => {
    const { config, cwd, home } = setUp();
    const { code, stdout, stderr } = await config('set', '--project', 'model', 'theirs');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'model is set in PROJECT/.tenon/config.toml:1:9\n' });
    expect(stderr).toMatch(/not used, because the folder is not trusted/);
    expect(readFileSync(path.join(cwd, '.tenon/config.toml'), 'utf8')).toBe('model = "theirs"\n');

    await runCli(['trust'], { home, cwd });
    expect(await config('set', 'model', 'mine')).toEqual({
      code: 0,
      stdout: 'model is set in HOME/config.toml:2:9\n',
      stderr: 'tenon: warning: model is something else here, because of PROJECT/.tenon/config.toml:1\n',
    });
  });
});

test('tenon config check tells everything, tenon config path where the files are', async () => {
  const { config } = setUp('model = 5\nmodell = "x"\n');
  expect(await config('check')).toEqual({
    code: 1,
    stdout:
      'HOME/config.toml:1:9: invalid type: integer `5`, expected a string at `model`\n' +
      'HOME/config.toml:2:1: unknown key `modell`; did you mean `model`?\n',
    stderr: '',
  });
  expect(await setUp().config('check')).toEqual({
    code: 0,
    stdout: 'HOME/config.toml: all as it should be\n',
    stderr: '',
  });
  expect([(await config('path')).stdout, (await config('path', '--project')).stdout]).toEqual([
    'HOME/config.toml\n',
    'PROJECT/.tenon/config.toml\n',
  ]);
});

test('every command takes a profile', async () => {
  const { home, cwd } = setUp('[profiles.quiet]\nfeatures.shell_tool = false\n');
  const { stdout } = await runCli(['tools', '-p', 'quiet'], { home, cwd });
  expect(stdout).not.toMatch(/^exec_command/m);
  expect(stdout).toMatch(/^update_plan/m);
});
