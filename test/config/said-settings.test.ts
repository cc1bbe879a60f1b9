import { expect, test } from 'vitest';

import { loadSettings } from '../../src/index.js';
import type { ConfigSource } from '../../src/index.js';
import { settingsPlace } from './settings-place.js';

type Overrides = NonNullable<ConfigSource['overrides']>;

async function said(overrides: Overrides, file = '') {
  const { home, project: cwd } = await settingsPlace({ home: { 'config.toml': file } });
  return (await loadSettings({ home, cwd, overrides })).said;
}

test('what flags said is told with its values, and what files said is not', async () => {
  const flag = { key: 'sandbox_mode', value: 'read-only', label: '--sandbox read-only' };
  const file = 'model = "m"\nsandbox_mode = "workspace-write"\n[features]\nundo = true\n';
  expect(await said([flag, 'features.shell_tool=false'], file)).toEqual([
    { key: 'sandbox_mode', flag: '--sandbox read-only', value: 'read-only' },
    { key: 'features.shell_tool', flag: '-c features.shell_tool=false', value: false },
  ]);
  expect(await said([], file)).toEqual([]);
});

test('of several flags for one setting the last one counts', async () => {
  expect(await said(['model=one', 'model=two'])).toEqual([{ key: 'model', flag: '-c model=two', value: 'two' }]);
});

test('a key that nobody knows was not said', async () => {
  expect(await said(['no_such_key=1'])).toEqual([]);
});

test.each([
  ['model_providers.x.http_headers={ "X-Team" = "t" }', 'model_providers.x.http_headers.X-Team'],
  ['model_providers.x.query_params.token="t"', 'model_providers.x.query_params.token'],
  ['model_providers.x.base_url="https://me:pw@host/v1"', 'model_providers.x.base_url'],
  ['model_providers.x.base_url="https://host/v1?sig=1"', 'model_providers.x.base_url'],
  ['shell_environment_policy.set={ MY_TOKEN = "t" }', 'shell_environment_policy.set.MY_TOKEN'],
])('of %s only the key is told', async (override, key) => {
  expect(await said([override])).toEqual([{ key, flag: expect.stringContaining('-c ') }]);
});

test('a value is no secret because it looks like what stands in the place of one', async () => {
  expect(await said(['developer_instructions="say (hidden)"'])).toEqual([
    expect.objectContaining({ key: 'developer_instructions', value: 'say (hidden)' }),
  ]);
});
