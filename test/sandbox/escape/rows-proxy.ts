/** The proxy as a command sees it. */
import fs from 'node:fs';

import type { Grounds } from './grounds.js';
import { finding } from './row.js';
import type { Finding, Row } from './row.js';
import { refusal } from './try-inside.js';

export const PROXY_ROWS: readonly Row[] = [
  {
    id: '39',
    title: 'the proxy reaches nobody who is not listed',
    story: async (grounds, { backend }) =>
      backend === 'cell' ? proxied(grounds) : withoutProxy(grounds, ['example.com']),
  },
  {
    id: '40',
    title: 'a listed name that leads to a private address is not followed',
    async story(grounds, { backend }) {
      const names = loopbackNames();
      if (names.length === 0) return { skip: 'no name of this machine but localhost leads to itself' };
      if (backend !== 'cell') return withoutProxy(grounds, names);
      const codes = await curl(
        grounds,
        names,
        names.map((name) => `http://${name}:${grounds.port}/`),
      );
      return names.map((name, index) => finding(name, codes[index], '403'));
    },
  },
];

async function proxied(grounds: Grounds): Promise<readonly Finding[]> {
  const { port } = grounds;
  const allowed = ['listed.example', '*.below.example'];
  const urls = {
    'a host that is not listed': 'http://other.example/',
    'an address': 'http://192.0.2.1/',
    'the address of the machine': `http://127.0.0.1:${port}/`,
    'the same in other digits': `http://2130706433:${port}/`,
    'the same in hex': `http://0x7f.1:${port}/`,
    'of the newer kind': `http://[::ffff:127.0.0.1]:${port}/`,
    'data of a cloud': 'http://169.254.169.254/latest/meta-data/',
    'a suffix': 'http://listed.example.other.example/',
    'a prefix': 'http://unlisted.example/',
    'the name above': 'http://below.example/',
    'a name before an at sign': 'http://listed.example@other.example/',
    'a tunnel': 'https://other.example/',
    'a tunnel to an address': `https://127.0.0.1:${port}/`,
  };
  const codes = await curl(grounds, allowed, Object.values(urls));
  const bare = `curl -s -o /dev/null -w '%{http_code}' -x ${PROXY} http://listed.example/`;
  const { stdout } = await grounds.run(['/bin/sh', '-c', bare], { allowedHosts: allowed });
  return [
    ...Object.keys(urls).map((name, index) => finding(name, codes[index], '403')),
    finding('without its token', stdout.toString(), '407|403'),
  ];
}

/** Nothing starts under a promise of hosts, and otherwise nobody is told of a proxy or reaches one. */
async function withoutProxy(grounds: Grounds, allowedHosts: readonly string[]): Promise<readonly Finding[]> {
  const script = `env | grep -i _proxy; curl -s -m 20 -o /dev/null -w '%{http_code}' -x ${PROXY} http://192.0.2.1/`;
  const { stdout } = await grounds.run(['/bin/sh', '-c', script]);
  return [await refusal(grounds, 'with hosts', { allowedHosts }), finding('without', stdout.toString(), '000')];
}

const PROXY = 'http://127.0.0.1:61080';

/** What the proxy answered to each: for a tunnel, to the wish for one. */
async function curl(
  { run }: Grounds,
  allowedHosts: readonly string[],
  urls: readonly string[],
): Promise<readonly string[]> {
  const format = '%{http_code} %{http_connect}\\n';
  const one = `curl -s -m 20 -o /dev/null -x "$http_proxy" --noproxy "" -w '${format}' "$url"`;
  const { stdout } = await run(['/bin/sh', '-c', `for url do ${one}; done`, 'sh', ...urls], { allowedHosts });
  const lines = stdout.toString().trim().split('\n');
  return lines.map((line) => line.split(' ').find((code) => code !== '000') ?? '000');
}

/** Names of this machine that lead to itself. */
function loopbackNames(): readonly string[] {
  const lines = fs.readFileSync('/etc/hosts', 'utf8').split('\n');
  const words = lines.filter((line) => /^(127\.|::1\s)/.test(line)).flatMap((line) => line.split(/\s+/).slice(1));
  return [...new Set(words)].filter((name) => name !== '' && name !== 'localhost');
}
