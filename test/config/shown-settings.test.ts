import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { DEFAULT_SETTINGS } from '../../src/config/default-settings.js';
import { checkConfig, runtimeOptions, shownSettings } from '../../src/index.js';
import type { ConfigSource } from '../../src/index.js';
import { failureOf, inWords, settingsPlace } from './settings-place.js';
import type { Place } from './settings-place.js';

/** As `key = value # origin`, without what nobody has set. */
async function shown(place: Place, source: Partial<ConfigSource> = {}, key?: string) {
  const settings = await shownSettings({ home: place.home, cwd: place.project, ...source }, key);
  return settings
    .filter(({ origin }) => origin.kind !== 'default')
    .map((each) => inWords(`${each.key} = ${JSON.stringify(each.value)} # ${JSON.stringify(each.origin)}`, place));
}

describe('settings are shown with their origins', () => {
  test('from every layer', async () => {
    const place = await settingsPlace({
      home: {
        'config.toml': 'model = "m"\n[tool_config]\ninclude_plan_tool = false\n[profiles.p]\nmodel_verbosity = "low"\n',
        'p.config.toml': 'oss_provider = "ollama"',
      },
      project: { 'config.toml': '[features]\nundo = false\n' },
    });
    const overrides = ['profile=p', { key: 'sandbox_mode', value: 'read-only', label: '--sandbox read-only' }];
    expect(await shown(place, { overrides })).toEqual([
      'model = "m" # {"kind":"user","file":"HOME/config.toml","line":1,"column":9}',
      'oss_provider = "ollama" # {"kind":"profile","file":"HOME/p.config.toml","line":1,"column":16,"profile":"p"}',
      'model_verbosity = "low" # {"kind":"profile","file":"HOME/config.toml","line":5,"column":19,"profile":"p"}',
      'sandbox_mode = "read-only" # {"kind":"flag","flag":"--sandbox read-only"}',
      'features.undo = false # {"kind":"project","file":"PROJECT/.tenon/config.toml","line":2,"column":8}',
      'tools.update_plan = false # {"kind":"user","file":"HOME/config.toml","line":3,"column":21}',
      'profile = "p" # {"kind":"flag","flag":"-c profile=p"}',
      'profiles.p.model_verbosity = "low" # {"kind":"user","file":"HOME/config.toml","line":5,"column":19}',
    ]);
  });

  test('and the rest by their defaults', async () => {
    const place = await settingsPlace();
    const settings = await shownSettings({ home: place.home });
    const origin = { kind: 'default' };
    expect(settings.filter(({ path: [table] }) => table === 'features')).toEqual([
      { key: 'features.shell_tool', path: ['features', 'shell_tool'], value: true, origin },
      { key: 'features.unified_exec', path: ['features', 'unified_exec'], value: true, origin },
      { key: 'features.apply_patch_freeform', path: ['features', 'apply_patch_freeform'], value: false, origin },
      { key: 'features.undo', path: ['features', 'undo'], value: true, origin },
    ]);
  });

  test('one of them, or those of one table', async () => {
    const place = await settingsPlace({
      home: { 'config.toml': 'model = "m"\n[model_prices."a.b"]\ninput = 1\noutput = 2\n' },
    });
    expect(await shown(place, {}, 'model_prices."a.b"')).toEqual([
      'model_prices."a.b".input = 1 # {"kind":"user","file":"HOME/config.toml","line":3,"column":9}',
      'model_prices."a.b".output = 2 # {"kind":"user","file":"HOME/config.toml","line":4,"column":10}',
    ]);
    expect(await shown(place, {}, 'model')).toHaveLength(1);
    expect(await shown(place, {}, 'model_verbosity')).toEqual([]);
    expect(await failureOf(shown(place, {}, 'features.und'), place)).toBe(
      'ConfigError: there is no setting `features.und`; did you mean `undo`?',
    );
    expect(await failureOf(shown(place, {}, 'a..b'), place)).toMatch(/`a\.\.b` is no name of a setting/);
  });

  test('but not secrets', async () => {
    const place = await settingsPlace({
      home: {
        'config.toml': `
          tool_output_token_limit = 5
          [model_providers.token-server]
          base_url = "https://me:abc@host.example/v1"
          env_key = "MY_KEY"
          prompt_cache_key = true
          http_headers = { X-Plain = "abc" }
          env_http_headers = { X-Api-Key = "MY_VARIABLE" }
          query_params = { api-version = "1", api-key = "abc", sig = "abc", code = "abc", x = "abc" }
          [model_providers.asking]
          base_url = "https://me:abc@host.example/v1?api_key=abc&api-version=1&abc&"
          [shell_environment_policy.set]
          GITHUB_TOKEN = "abc"
          DB_PASSWORD = 123456
          GIT_AUTHOR_NAME = "seen"
          PLAIN = "seen"
        `,
      },
    });
    const settings = await shownSettings({ home: place.home });
    const values = Object.fromEntries(
      settings.filter(({ origin }) => origin.kind !== 'default').map(({ key, value }) => [key, value]),
    );
    expect(values).toEqual({
      tool_output_token_limit: 5,
      'model_providers.token-server.base_url': 'https://(hidden)@host.example/v1',
      'model_providers.token-server.env_key': 'MY_KEY',
      'model_providers.token-server.prompt_cache_key': true,
      'model_providers.token-server.http_headers.X-Plain': '(hidden)',
      'model_providers.token-server.env_http_headers.X-Api-Key': '(hidden)',
      'model_providers.token-server.query_params.api-version': '1',
      'model_providers.token-server.query_params.api-key': '(hidden)',
      'model_providers.token-server.query_params.sig': '(hidden)',
      'model_providers.token-server.query_params.code': '(hidden)',
      'model_providers.token-server.query_params.x': '(hidden)',
      'model_providers.asking.base_url': 'https://(hidden)@host.example/v1?api_key=(hidden)&api-version=1&(hidden)&',
      'shell_environment_policy.set.GITHUB_TOKEN': '(hidden)',
      'shell_environment_policy.set.DB_PASSWORD': '(hidden)',
      'shell_environment_policy.set.GIT_AUTHOR_NAME': 'seen',
      'shell_environment_policy.set.PLAIN': 'seen',
    });
  });
});

test('what is shown as a default is one', () => {
  const { sandbox, approvalDeadline, ...others } = runtimeOptions(DEFAULT_SETTINGS);
  const { sandbox: _sandbox, ...expected } = runtimeOptions({});
  expect(others).toEqual(expected);
  expect(approvalDeadline).toEqual({ ms: 3_600_000, decision: 'deny' });
  expect(sandbox).toEqual({
    backend: 'auto',
    writableRoots: [],
    network: false,
    excludeSlashTmp: false,
    excludeTmpdir: false,
    allowedHosts: [],
    hide: [],
    show: [],
    unixSockets: 'none',
    watchPaths: false,
    limits: {},
  });
});

describe('checkConfig', () => {
  const check = async (place: Place, overrides: readonly string[] = []) => {
    const { sources, problems } = await checkConfig({ home: place.home, cwd: place.project, overrides });
    return { sources, problems: problems.map((each) => inWords(each, place)) };
  };

  test('names the sources when all is well', async () => {
    const place = await settingsPlace({ home: { 'config.toml': 'model = "m"' }, project: { 'config.toml': '' } });
    expect(await check(place, ['model=x'])).toEqual({
      sources: [path.join(place.home, 'config.toml'), '-c model=x'],
      problems: [],
    });
  });

  test('tells everything that is wrong', async () => {
    const place = await settingsPlace({
      home: { 'config.toml': 'model = 5\nsandbox_mode = "x"\nmodle = 1\n' },
      project: { 'config.toml': '[features]\nundo = "no"\n' },
    });
    expect((await check(place)).problems).toEqual([
      'HOME/config.toml:1:9: invalid type: integer `5`, expected a string at `model`',
      'HOME/config.toml:2:16: unknown variant `x`, expected one of `read-only`, `workspace-write`, `danger-full-access` at `sandbox_mode`',
      'PROJECT/.tenon/config.toml:2:8: invalid type: string "no", expected a boolean at `features.undo`',
      'HOME/config.toml:3:1: unknown key `modle`; did you mean `model`?',
    ]);
  });

  test('tells what does not fit together', async () => {
    const toml = 'model = "m"\napproval_policy = "sandbox"\nsandbox_mode = "danger-full-access"\nlimits.cost_usd = 1\n';
    const place = await settingsPlace({ home: { 'config.toml': toml } });
    expect((await check(place)).problems).toEqual([
      'HOME/config.toml:2:19: approval_policy "sandbox" asks for a sandbox, but sandbox_mode "danger-full-access" has none',
      'HOME/config.toml:4:19: limits.cost_usd is set, but there is no price for m: add [model_prices.m] with input and output, in US dollars for a million tokens',
    ]);
  });

  test('tells of servers that cannot be asked, and where that stands', async () => {
    const place = await settingsPlace({
      home: {
        'config.toml': `model_provider = "olama"
[model_providers.openai]
base_url = "https://elsewhere.example/v1"
[model_providers.none]
name = "x"
[model_providers.fine]
base_url = "https://fine.example/v1"
env_key = "NOT_SET_ANYWHERE"
`,
      },
    });
    expect((await check(place)).problems).toEqual([
      expect.stringMatching(/^HOME\/config\.toml:1:18: model_provider "olama" is not known\. Did you mean "ollama"\?/),
      expect.stringMatching(/^HOME\/config\.toml:2:1: model_providers\.openai is always OpenAI’s own server/),
      'HOME/config.toml:4:1: model_providers.none has no base_url: say where its server is',
    ]);
  });

  test('knows the address of OpenAI, which counts more than the variable', async () => {
    const problems = async (toml: string) => {
      const { home } = await settingsPlace({ home: { 'config.toml': toml } });
      return (await checkConfig({ home }, { OPENAI_BASE_URL: 'gate' })).problems;
    };
    expect(await problems('')).toEqual([expect.stringContaining('OPENAI_BASE_URL is not an address')]);
    expect(await problems('openai_base_url = "http://gate.example/v1"')).toEqual([]);
    expect(await problems('openai_base_url = "gate"')).toEqual([
      expect.stringMatching(/config\.toml:1:19: invalid value string "gate" at `openai_base_url`: write it as/),
    ]);
  });

  test('looks at the environment as a run would', async () => {
    const place = await settingsPlace({ home: { 'config.toml': 'model_provider = "azure"' } });
    const problems = async (env: Record<string, string>) => (await checkConfig({ home: place.home }, env)).problems;
    expect(await problems({ AZURE_OPENAI_ENDPOINT: 'https://a.openai.azure.com' })).toEqual([]);
    expect(await problems({})).toEqual([
      expect.stringMatching(/config\.toml:1:18: model_providers\.azure has no base_url/),
    ]);
  });

  test.each([
    ['notaurl', 'string "notaurl"'],
    ['http://me:abc/abc@:x/?abc=abc', 'string "http://(hidden)@:x/?abc=(hidden)"'],
    ['me:abc@host', 'string "(hidden)@host"'],
  ])('tells of the address %s, without what may be secret in it', async (address, told) => {
    const toml = `[model_providers.m]\nbase_url = "${address}"\n`;
    const place = await settingsPlace({ home: { 'config.toml': toml } });
    expect((await check(place)).problems).toEqual([
      `HOME/config.toml:2:12: invalid value ${told} at \`model_providers.m.base_url\`: write it as http://host:port/v1 or https://host/v1`,
    ]);
  });

  test('tells of a file that cannot be parsed', async () => {
    const place = await settingsPlace({ home: { 'config.toml': 'model = ' } });
    expect((await check(place)).problems).toEqual([
      expect.stringMatching(/^HOME\/config\.toml:1:\d+ is not valid TOML: /),
    ]);
  });
});
