import fc from 'fast-check';
import { expect, test } from 'vitest';

import { isSecret, withoutSecrets } from '../../src/config/secret-keys.js';
import { propertyRuns } from '../support/property-runs.js';

const ADDRESS = ['model_providers', 'm', 'base_url'];

test.each([
  ['https://host/v1', 'https://host/v1'],
  ['https://host/@me/v1', 'https://host/@me/v1'],
  ['https://me:pw@host/v1?', 'https://(hidden)@host/v1?'],
  ['https://host?a=1&api-version=2&b=&=3', 'https://host?a=(hidden)&api-version=2&b=(hidden)&(hidden)'],
  ['"https://me:p/w@host"', '"https://(hidden)@host"'],
  ['http://me:12?w@host?x=1', 'http://me:12?(hidden)'],
])('the address %s is shown as %s', (address, shown) => {
  expect(withoutSecrets(address, ADDRESS)).toBe(shown);
});

test('the address of OpenAI is shown like any other', () => {
  const shown = withoutSecrets({ openai_base_url: 'https://me:pw@host/v1?sig=1' });
  expect(shown).toEqual({ openai_base_url: 'https://(hidden)@host/v1?sig=(hidden)' });
});

test('elsewhere an address is shown without its login only', () => {
  expect(withoutSecrets(['see https://me:pw@host/?q=1'], ['x'])).toEqual(['see https://(hidden)@host/?q=1']);
});

test.each([
  [true, ['x', 'http_headers']],
  [true, ['x', 'http_headers', 'A', 0]],
  [true, ['x', 'query_params', 'sig']],
  [false, ['x', 'query_params', 'api-version']],
  [true, ['set', 'MY_TOKEN']],
  [true, ['authorization']],
  [false, ['limits', 'tokens']],
  [false, ['model_max_output_tokens']],
  [false, ['tool_security', 'max_shell_commands_per_session']],
  [false, ['env_key']],
  [false, ['model']],
])('it is %s that a secret may stand under %j', (secret, path) => {
  expect(isSecret(path)).toBe(secret);
});

test('no password and no parameter of an address comes through, whatever it is made of', () => {
  const secret = fc.stringMatching(/^s3cr3t[^\s/?#]{0,10}$/);
  fc.assert(
    fc.property(secret, secret, fc.constantFrom('https://', 'http://', ''), (password, value, scheme) => {
      const text = `${scheme}me:${password}@host.example/v1?x=${value}`;
      expect(withoutSecrets(text, ADDRESS)).not.toContain('s3cr3t');
    }),
    propertyRuns(300),
  );
});
