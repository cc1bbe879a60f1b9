import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { ConfigError } from '../../src/core/errors.js';
import { proxyFor } from '../../src/http/proxy-choice.js';
import { propertyRuns } from '../support/property-runs.js';

describe('which proxy', () => {
  const all = { http_proxy: 'a', HTTP_PROXY: 'b', https_proxy: 'c', HTTPS_PROXY: 'd', all_proxy: 'e', ALL_PROXY: 'f' };

  test.each([
    ['http://far.test', 'http_proxy', {}],
    ['http://far.test', 'HTTP_PROXY', { http_proxy: '' }],
    ['http://far.test', 'all_proxy', { http_proxy: '', HTTP_PROXY: ' ' }],
    ['https://far.test', 'https_proxy', {}],
    ['https://far.test', 'HTTPS_PROXY', { https_proxy: undefined }],
    ['https://far.test', 'ALL_PROXY', { https_proxy: '', HTTPS_PROXY: '', all_proxy: '' }],
  ])('%s goes by %s', (url, variable, unset) => {
    expect(proxyFor(new URL(url), { ...all, ...unset })?.variable).toBe(variable);
  });

  test.each([
    ['proxy:3128', 'http://proxy:3128/'],
    ['http://me:pw@proxy', 'http://me:pw@proxy/'],
    ['https://proxy', 'https://proxy/'],
    [' http://[::1]:8080 ', 'http://[::1]:8080/'],
  ])('%s means %s', (value, url) => {
    expect(proxyFor(new URL('http://far.test'), { http_proxy: value })?.url.href).toBe(url);
  });

  test.each(['http://', 'http://a b', '://x'])('%s is refused, and not repeated', (value) => {
    expect(() => proxyFor(new URL('http://far.test'), { http_proxy: value })).toThrow(
      new ConfigError('http_proxy does not name a proxy: write it as http://host:port'),
    );
  });
});

describe('exceptions', () => {
  test.each([
    ['*', 'http://far.test', true],
    ['far.test', 'http://far.test', true],
    ['far.test', 'http://deep.far.test', true],
    ['.far.test', 'http://deep.far.test', true],
    ['.far.test', 'http://far.test', true],
    ['*.far.test', 'http://deep.far.test', true],
    ['FAR.test.', 'http://far.TEST', true],
    ['far.test', 'http://notfar.test', false],
    ['far.test', 'http://far.test.org', false],
    ['far.test:8080', 'http://far.test:8080', true],
    ['far.test:8080', 'http://far.test', false],
    ['far.test:443', 'https://far.test', true],
    ['far.test:80', 'http://far.test', true],
    ['a.test, far.test b.test', 'http://far.test', true],
    ['10.0.0.7', 'http://10.0.0.7:99', true],
    ['0.7', 'http://10.0.0.7', false],
    ['2001:db8::7', 'http://[2001:db8::7]/', true],
    ['[2001:db8::7]:80', 'http://[2001:db8:0::7]/', true],
    ['[2001:db8::7]:81', 'http://[2001:db8::7]/', false],
    [',, .', 'http://far.test', false],
  ])('%s and %s: direct is %s', (list, url, isDirect) => {
    for (const name of ['no_proxy', 'NO_PROXY']) {
      expect(proxyFor(new URL(url), { all_proxy: 'proxy:1', [name]: list }) === undefined).toBe(isDirect);
    }
  });

  test.each(['localhost', 'a.localhost', '127.0.0.1', '127.9.9.9', '[::1]', '[::ffff:127.0.0.1]', '0x7f.1'])(
    '%s is on this machine',
    (host) => {
      expect(proxyFor(new URL(`http://${host}:11434`), { all_proxy: 'proxy:1' })).toBeUndefined();
    },
  );

  test('any words in the variables lead to a proxy, to none, or to an error for the user', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.constantFrom('http://far.test', 'https://10.0.0.7:8443'),
        (proxy, exceptions, url) => {
          try {
            const choice = proxyFor(new URL(url), { all_proxy: proxy, no_proxy: exceptions });
            expect(choice === undefined || /^https?:$/.test(choice.url.protocol)).toBe(true);
          } catch (error) {
            expect(error).toBeInstanceOf(ConfigError);
          }
        },
      ),
      propertyRuns(300),
    );
  });
});
