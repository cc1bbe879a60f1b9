import { expect, test } from 'vitest';

import { proxyEnvironment } from '../../../src/sandbox/network/proxy-environment.js';

test('every tool is told of the proxy by the name it knows, and that its own machine is reached without', () => {
  const url = 'http://tenon:tok-en_1@127.0.0.1:3128';
  expect(proxyEnvironment(3128, 'tok-en_1')).toEqual({
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
    ALL_PROXY: url,
    NO_PROXY: 'localhost,127.0.0.1,::1',
    http_proxy: url,
    https_proxy: url,
    all_proxy: url,
    no_proxy: 'localhost,127.0.0.1,::1',
    NODE_USE_ENV_PROXY: '1',
    YARN_HTTP_PROXY: url,
    YARN_HTTPS_PROXY: url,
  });
});
