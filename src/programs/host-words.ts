/**
 * Which hosts a command's words name. Programs do not agree on how a URL is read, so a host counts if any of the usual
 * readings finds it: the browsers' (`URL`) or that of RFC 3986.
 */
import { hostName } from '../core/host-name.js';
import type { Word } from '../shell/reading.js';
import { listed, readOptions } from './command-options.js';

type HostHabits = {
  readonly takes: readonly string[];
  /** How many operands are hosts or URLs without a scheme. */
  readonly operands: number;
  /** Options whose value is one. */
  readonly hosts?: readonly string[];
};

const CURL_TAKES = `
  -A -b -C -c -d -D -e -E -F -H -K -m -o -P -Q -r -t -T -u -U -w -x -X -y -Y -z --user-agent --cookie --cookie-jar --data
  --data-raw --data-binary --data-urlencode --json --dump-header --referer --cert --form --header --config --max-time
  --output --range --upload-file --user --write-out --request --connect-timeout --retry --resolve --connect-to
  --interface --cacert --key --limit-rate --max-redirs --retry-delay --output-dir --unix-socket --oauth2-bearer
`;

const HOST_HABITS: ReadonlyMap<string, HostHabits> = new Map<string, HostHabits>([
  [
    'curl',
    {
      takes: listed(CURL_TAKES),
      operands: Number.POSITIVE_INFINITY,
      hosts: listed('--url -x --proxy --preproxy --socks4 --socks4a --socks5 --socks5-hostname --doh-url'),
    },
  ],
  [
    'wget',
    {
      takes: listed(`
        -O -o -a -P -i -U -e -t -T -w -Q -l -A -R -D -I -X -B --header --post-data --post-file --output-document --user
        --password --directory-prefix --tries --timeout --level --method --user-agent
      `),
      operands: Number.POSITIVE_INFINITY,
    },
  ],
  [
    'ssh',
    { takes: listed('-B -b -c -D -E -e -F -I -i -L -l -m -O -o -p -Q -R -S -w'), operands: 1, hosts: ['-J', '-W'] },
  ],
  ['mosh', { takes: ['-p', '--port', '--ssh'], operands: 1 }],
  ['sftp', { takes: listed('-B -b -c -D -F -i -l -o -P -R -S -s -X'), operands: 1, hosts: ['-J'] }],
  ['ping', { takes: listed('-c -i -s -t -W -w -I -M -l -p -Q -S -m'), operands: 1 }],
  ['ping6', { takes: listed('-c -i -s -t -W -w -I'), operands: 1 }],
  ['nc', { takes: listed('-p -s -w -i -q -I -O -P -T -V -X'), operands: 1, hosts: ['-x'] }],
  ['ncat', { takes: listed('-p -s -w -i -d -g -G -m'), operands: 1, hosts: ['--proxy'] }],
  ['netcat', { takes: listed('-p -s -w -i -q'), operands: 1 }],
  ['telnet', { takes: listed('-e -l -n -S -X -b'), operands: 1 }],
  ['ftp', { takes: listed('-P -r -s'), operands: 1 }],
  ['traceroute', { takes: listed('-f -m -p -q -w -i -s'), operands: 1 }],
  ['nslookup', { takes: [], operands: 2 }],
  ['host', { takes: listed('-t -c -N -R -W -m'), operands: 2 }],
  ['ssh-keyscan', { takes: listed('-f -p -T -t'), operands: Number.POSITIVE_INFINITY }],
]);

const COPIERS = new Set(['scp', 'rsync']);
const GIT_SOURCES = /^(?:clone|ls-remote|remote (?:add|set-url) \S+|submodule add) /;

/** `text` is a word, or its sure beginning if `open`. */
export function hostsInText(text: string, open: boolean): readonly string[] {
  const urls = text.match(/[a-z][a-z0-9+.-]*:[/\\]+[^\s'"<>]+/gi) ?? [];
  const addresses = /^[^\s@/:]+@(\[[^\]\s]+\]|[^\s/:@[\]]+):/.exec(text);
  return [
    ...urls.filter((url) => !open || isClosed(url)).flatMap(hostsOfUrl),
    ...(addresses?.[1] === undefined ? [] : [hostName(addresses[1])]),
  ];
}

/** Hosts that a program takes without a scheme: `curl host/path`, `ssh user@host`. */
export function hostsOfProgram(name: string, words: readonly Word[]): readonly string[] {
  const texts = words.map((word) => (typeof word === 'string' ? word : closedBeginning(word.begins)));
  if (COPIERS.has(name)) return texts.flatMap(remoteHost);
  if (name === 'git') return GIT_SOURCES.test(`${texts.join(' ')} `) ? texts.flatMap(remoteHost) : [];
  if (name === 'openssl') return texts.filter((_, at) => texts[at - 1] === '-connect').flatMap(bareHost);
  if (name === 'socat') return texts.flatMap((text) => socketHost(text));
  const habits = HOST_HABITS.get(name);
  return habits === undefined ? [] : habitualHosts(texts, habits);
}

function habitualHosts(
  texts: readonly string[],
  { takes, operands: count, hosts = [] }: HostHabits,
): readonly string[] {
  const { options, operands } = readOptions(texts, { takes: [...takes, ...hosts] });
  const values = options.flatMap(({ name, value }) =>
    hosts.includes(name) && typeof value === 'string' ? [value] : [],
  );
  const named = operands.slice(0, count).filter((each) => typeof each === 'string');
  return [...values.flatMap((value) => value.split(',')), ...named].flatMap(bareHost).concat(redirectedHosts(options));
}

/** `ssh -o HostName=…` and `curl --connect-to a:1:b:2` go elsewhere than their operand says. */
function redirectedHosts(options: readonly { readonly name: string; readonly value?: Word }[]): readonly string[] {
  return options.flatMap(({ name, value }) => {
    if (typeof value !== 'string') return [];
    if (name === '--connect-to') return (/^[^:]*:[^:]*:(\[[^\]]*\]|[^:]+)/.exec(value)?.slice(1) ?? []).map(hostName);
    const jump = name === '-o' ? /^\s*(?:hostname|proxyjump)[\s=]+(\S+)/i.exec(value)?.[1] : undefined;
    return jump === undefined ? [] : jump.split(',').flatMap(bareHost);
  });
}

/** Of a word that goes on, only what something closes is known to be a host: a slash, or the colon of `host:path`. */
function closedBeginning(begins: string): string {
  return isClosed(begins) || /^[^/:]+:(?![/\\])/.test(begins) ? begins : '';
}

function isClosed(url: string): boolean {
  return /[/\\?#]/.test(url.replace(/^[a-z][a-z0-9+.-]*:[/\\]+/i, ''));
}

function bareHost(text: string): readonly string[] {
  if (text === '' || text === '-') return [];
  return /^[a-z][a-z0-9+.-]*:[/\\]/i.test(text) ? hostsOfUrl(text) : hostsOfUrl(`http://${text.replace(/^\/+/, '')}`);
}

/** `host:path` and `user@host:path`. */
function remoteHost(text: string): readonly string[] {
  const [, host] = /^(?:[^/@]*@)?(\[[^\]]+\]|[^/:@=-][^/:@]*):(?!\/\/)/.exec(text) ?? [];
  return host === undefined ? [] : [hostName(host)];
}

function socketHost(text: string): readonly string[] {
  const matches = text.matchAll(/(?:tcp|udp|sctp|openssl|ssl|socks4a?|proxy)[\w-]*:(\[[^\]]+\]|[^:,\s]+):/gi);
  return Array.from(matches, (match) => hostName(match[1] ?? ''));
}

function hostsOfUrl(url: string): readonly string[] {
  if (/^file:/i.test(url)) return [];
  return expandBraces(url).flatMap((each) => browserHost(each).concat(plainHost(each)));
}

function browserHost(url: string): readonly string[] {
  try {
    const { hostname } = new URL(url);
    return hostname === '' ? [] : [hostName(decoded(hostname))];
  } catch {
    return [];
  }
}

/** The host is what stands between the last `@` and a port, up to a slash, a question mark or a hash. */
function plainHost(url: string): readonly string[] {
  const [, authority = ''] = /^[a-z][a-z0-9+.-]*:\/*([^/?#]*)/i.exec(url) ?? [];
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const bare = decoded(host.startsWith('[') ? host.replace(/\].*$/s, ']') : host.replace(/:[^:]*$/, ''));
  // Brackets hold an address, and so does what more than one colon is in.
  const [beforeSlash = ''] = bare.split(/[/\\?#]/);
  return beforeSlash === '' ? [] : [hostName(beforeSlash)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const MOST_URLS = 64;

/** `curl` reads `http://{a,b}.example` as two. */
function expandBraces(url: string): readonly string[] {
  let urls = [url];
  for (let at = 0; at < urls.length && urls.length < MOST_URLS;) {
    const [whole, before = '', inside = '', after = ''] = /^([^{]*)\{([^{}]*)\}(.*)$/s.exec(urls[at] ?? '') ?? [];
    if (whole === undefined) at += 1;
    else urls = urls.toSpliced(at, 1, ...inside.split(',').map((each) => `${before}${each}${after}`));
  }
  return urls;
}
