import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { loadConfig, revokeTrust } from '../../src/index.js';
import { failureOf, inWords, loadFrom, settingsPlace } from './settings-place.js';

describe('layers', () => {
  test("the user's file, then the project's, then the profile, then flags", async () => {
    const place = await settingsPlace({
      home: {
        'config.toml': `
          model = "user"
          model_verbosity = "low"
          model_provider = "user"
          oss_provider = "user"
          [features]
          undo = false
          [profiles.work]
          model = "profile"
          oss_provider = "profile"
        `,
      },
      project: { 'config.toml': 'model = "project"\nmodel_provider = "project"\n[features]\nshell_tool = false\n' },
    });
    const { config, warnings } = await loadFrom(place, { overrides: ['profile=work', 'model=flag'] });
    expect(warnings).toEqual([]);
    expect(config).toEqual({
      model: 'flag',
      model_verbosity: 'low',
      model_provider: 'project',
      oss_provider: 'profile',
      features: { undo: false, shell_tool: false },
      profile: 'work',
      profiles: { work: { model: 'profile', oss_provider: 'profile' } },
    });
  });

  test('a project that is not trusted names no server', async () => {
    const place = await settingsPlace({
      project: { 'config.toml': 'model_provider = "x"\n[model_providers.x]\nbase_url = "https://x.example"\n' },
    });
    expect((await loadFrom(place)).config).toMatchObject({ model_provider: 'x' });
    await revokeTrust(place.home, place.project);
    expect((await loadFrom(place)).config).toEqual({});
  });

  test("the user's file can be left out, but not what it says about trust", async () => {
    const place = await settingsPlace({ project: { 'config.toml': 'model = "project"' } });
    const file = path.join(place.home, 'config.toml');
    writeFileSync(file, 'model_verbosity = "low"');
    expect((await loadFrom(place, { ignoreUserConfig: true })).config).toEqual({ model: 'project' });
    writeFileSync(file, `projects."${place.project}".trust_level = "untrusted"`);
    expect((await loadFrom(place, { ignoreUserConfig: true })).config).toEqual({});
  });

  test('a wrong value that a flag has replaced does no harm, another one is told with its place', async () => {
    const place = await settingsPlace({
      home: { 'config.toml': 'sandbox_mode = "a"\n' },
      project: {
        'config.toml': '[features]\nundo = true\n\n[sandbox]\nlimits = { processes = 1, wall_seconds = "x" }\n',
      },
    });
    expect(await failureOf(loadFrom(place, { overrides: ['sandbox_mode=read-only'] }), place)).toBe(
      'ConfigError: PROJECT/.tenon/config.toml:5:42: invalid type: string "x", expected a number at `sandbox.limits.wall_seconds`',
    );
  });
});

describe('flags', () => {
  test('are told as they were typed', async () => {
    const place = await settingsPlace();
    const overrides = [{ key: 'sandbox_mode', value: 'nope', label: '--sandbox nope' }];
    expect(await failureOf(loadFrom(place, { overrides }), place)).toMatch(
      /^ConfigError: --sandbox nope: unknown variant `nope`, expected one of `read-only`/,
    );
  });

  test('of their own are texts, whatever they look like', async () => {
    const place = await settingsPlace();
    const overrides = [{ key: 'model', value: '5', label: '--model 5' }];
    expect((await loadFrom(place, { overrides })).config).toEqual({ model: '5' });
  });

  test('may quote names, and need not quote what no file could leave bare', async () => {
    const place = await settingsPlace();
    const overrides = [
      `model_prices."a=b.c"={input=1,output=2}`,
      'model_prices.openai/x.input=3',
      'model_prices.openai/x.output=4',
    ];
    expect((await loadFrom(place, { overrides })).config).toEqual({
      model_prices: { 'a=b.c': { input: 1, output: 2 }, 'openai/x': { input: 3, output: 4 } },
    });
  });

  test('set one value: what follows a line break is part of the text', async () => {
    const place = await settingsPlace();
    const { config } = await loadFrom(place, { overrides: ['developer_instructions=1\nsandbox_mode = "read-only"'] });
    expect(config).toEqual({ developer_instructions: '1\nsandbox_mode = "read-only"' });
  });

  test.each([
    ['model_providers.x.http_headers.Authorization=["Bearer abc"]', 'model_providers.x.http_headers.Authorization'],
    ['model_providers.x.http_headers="Bearer abc"', 'model_providers.x.http_headers'],
    ['model_providers.x={ http_headers = { A = 1, B = "abc" } }', 'model_providers.x.http_headers.A'],
  ])('with secrets are not repeated: %s', async (override, key) => {
    const place = await settingsPlace();
    const message = await failureOf(loadFrom(place, { overrides: [override] }), place);
    expect(message).not.toContain('abc');
    expect(message).toContain(`invalid value (hidden) at \`${key}\``);
  });
});

describe('profiles', () => {
  test('a file beside config.toml wins over the table of the same name', async () => {
    const place = await settingsPlace({
      home: {
        'config.toml': 'profile = "work"\n[profiles.work]\nmodel = "table"\nmodel_verbosity = "low"\n',
        'work.config.toml': 'model = "file"\n',
      },
    });
    expect((await loadFrom(place)).config).toMatchObject({ model: 'file', model_verbosity: 'low' });
  });

  test('a flag chooses another one', async () => {
    const place = await settingsPlace({
      home: { 'config.toml': 'profile = "a"\n', 'a.config.toml': 'model = "a"', 'b.config.toml': 'model = "b"' },
    });
    const overrides = [{ key: 'profile', value: 'b', label: '--profile b' }];
    expect((await loadFrom(place, { overrides })).config.model).toBe('b');
  });

  test('one that is not there is named, with those that are', async () => {
    const place = await settingsPlace({
      home: { 'config.toml': 'model = "m"\nprofile = "wrk"\n[profiles.work]\n', 'other.config.toml': '' },
    });
    expect(await failureOf(loadFrom(place), place)).toBe(
      'ConfigError: HOME/config.toml:2:11: there is no profile `wrk`; did you mean `work`? (other, work)',
    );
    expect(await failureOf(loadFrom(place, { overrides: ['profile=x-y-z'] }), place)).toBe(
      'ConfigError: -c profile=x-y-z: there is no profile `x-y-z`; there are: other, work',
    );
  });

  test('without any, it is said how one is written', async () => {
    const place = await settingsPlace();
    const overrides = [{ key: 'profile', value: 'x', label: '--profile x' }];
    expect(await failureOf(loadFrom(place, { overrides }), place)).toBe(
      'ConfigError: --profile x: there is no profile `x`, nor any other; write one as `[profiles.NAME]` in HOME/config.toml or as NAME.config.toml beside it',
    );
  });

  test.each(['../x', '/etc/x', '', '.', 'a/../b'])('no name leads out of the folder: %j', async (name) => {
    const place = await settingsPlace({ home: { 'b.config.toml': 'model = "b"' } });
    mkdirSync(path.join(place.home, 'a'));
    writeFileSync(path.join(place.home, '../x.config.toml'), 'model = "x"');
    const overrides = [{ key: 'profile', value: name, label: '--profile' }];
    expect(await failureOf(loadFrom(place, { overrides }), place)).toMatch(/there is no profile/);
  });

  test('say nothing about profiles or trust, and unknown keys are told once', async () => {
    const place = await settingsPlace({
      home: {
        'config.toml': 'profile = "a"\n[profiles.a]\nmodle = "x"\nprofile = "b"\n',
        'a.config.toml': 'profile = "b"\nsandbox_mod = "x"\n[projects."/x"]\ntrust_level = "trusted"\n',
      },
    });
    const { config, warnings } = await loadFrom(place);
    expect(config).toEqual({ profile: 'a', profiles: { a: {} } });
    expect(warnings).toEqual([
      'HOME/a.config.toml:3:1: `projects` is ignored; only HOME/config.toml and `tenon trust` say which folders are trusted',
      'HOME/a.config.toml:1:1: `profile` is ignored; a profile cannot choose another one',
      'HOME/config.toml:3:1: unknown key `profiles.a.modle` is ignored; did you mean `model`?',
      'HOME/config.toml:4:1: unknown key `profiles.a.profile` is ignored; `profile` has to stand above the first table',
      'HOME/a.config.toml:2:1: unknown key `sandbox_mod` is ignored; did you mean `sandbox_mode`?',
    ]);
  });

  test('an error in the table of a profile is told where it stands', async () => {
    const place = await settingsPlace({
      home: { 'config.toml': '[profiles]\na = { sandbox_mode = "x" }\n' },
    });
    expect(await failureOf(loadFrom(place, { overrides: ['profile=a'] }), place)).toMatch(
      /^ConfigError: HOME\/config\.toml:2:22: unknown variant `x`/,
    );
  });
});

describe('unknown keys', () => {
  const TOML = 'sandbox_mod = "x"\n[features]\nmodel = "m"\n[model_providers.x]\nbase_ulr = "y"\n';
  const TOLD = [
    'HOME/config.toml:1:1: unknown key `sandbox_mod`; did you mean `sandbox_mode`?',
    'HOME/config.toml:3:1: unknown key `features.model`; `model` has to stand above the first table',
    'HOME/config.toml:5:1: unknown key `model_providers.x.base_ulr`; did you mean `base_url`?',
  ];

  test('are warned of', async () => {
    const place = await settingsPlace({ home: { 'config.toml': TOML } });
    expect((await loadFrom(place)).warnings).toEqual(TOLD.map((each) => each.replace(/(`);/, '$1 is ignored;')));
  });

  test('are refused, all at once, where that is asked for', async () => {
    const place = await settingsPlace({ home: { 'config.toml': TOML } });
    expect(await failureOf(loadFrom(place, { strictConfig: true }), place)).toBe(`ConfigError: ${TOLD.join('\n')}`);
  });

  test('names that a user gives are none', async () => {
    const toml =
      '[tools]\nanything = true\n[shell_environment_policy.set]\nANY = 1\n[model_families.x]\nshell_type = "shell"\n';
    const place = await settingsPlace({ home: { 'config.toml': toml } });
    expect((await loadFrom(place, { strictConfig: true })).warnings).toEqual([]);
  });
});

describe('files that settings name', () => {
  const toml = 'model_instructions_file = "prompt.md"\n[tool_security]\naudit_log_path = "~/audit.log"\n';

  test('count from the folder of the file that names them', async () => {
    const place = await settingsPlace({ project: { 'config.toml': toml } });
    const { config } = await loadFrom(place);
    expect(inWords(JSON.stringify(config), place)).toBe(
      JSON.stringify({
        model_instructions_file: 'PROJECT/.tenon/prompt.md',
        tool_security: { audit_log_path: path.join(os.homedir(), 'audit.log') },
      }),
    );
  });

  test('of a flag count from the workspace', async () => {
    const place = await settingsPlace();
    const { config } = await loadFrom(place, { overrides: ['model_instructions_file=a/../p.md'] });
    expect(config).toEqual({ model_instructions_file: path.join(place.project, 'p.md') });
  });

  test('of a profile count from the home', async () => {
    const { home } = await settingsPlace({ home: { 'p.config.toml': toml } });
    const config = await loadConfig({ home, overrides: ['profile=p'] });
    expect(config.model_instructions_file).toBe(path.join(home, 'prompt.md'));
  });
});
