/**
 * Which hosts a command's words name. Only rules that restrict are held against them, so one too many does no harm and
 * one too few is a hole: of a program that speaks to the network, every piece of every word is taken for a host.
 */
import { hostName } from '../core/host-name.js';
import { isExact, sureText } from '../shell/reading.js';
import type { Word } from '../shell/reading.js';
import { listed } from './command-options.js';
import { withoutGlobalOptions } from './global-options.js';

const NETWORK_PROGRAMS: ReadonlySet<string> = new Set(
  listed(`
    curl wget wget2 curlie http https httpie xh xhs aria2c axel fetch lynx w3m links links2 elinks
    ssh slogin autossh mosh sftp scp rsync rclone ssh-keyscan ssh-copy-id rsh rlogin rcp
    nc ncat netcat nc.openbsd nc.traditional socat websocat wscat telnet ftp lftp ncftp tftp smbclient
    ping ping6 fping arping hping3 traceroute traceroute6 tracepath tracepath6 mtr nmap masscan
    dig drill kdig delv host nslookup resolvectl whois
    psql pgcli pg_dump pg_dumpall pg_restore pg_isready createdb dropdb createuser dropuser
    mysql mysqldump mysqladmin mysqlimport mysqlsh mycli mariadb mariadb-dump mariadb-admin
    redis-cli redis-benchmark valkey-cli mongo mongosh mongodump mongorestore mongoexport mongoimport
    sqlcmd cqlsh clickhouse-client influx etcdctl ldapsearch ldapmodify ldapadd
    kubectl oc helm docker podman nerdctl buildah skopeo crane
    gnutls-cli grpcurl ab wrk hey siege vegeta s3cmd gh glab hg svn cvs
    vncviewer rdesktop xfreerdp adb ntpdate snmpget snmpwalk swaks msmtp
  `),
);

/** Programs that speak to the network with some of their sub-commands only. */
const NETWORK_COMMANDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['git', listed('clone fetch pull push ls-remote remote submodule archive')],
  ['openssl', listed('s_client s_time ocsp cmp')],
  ['getent', listed('hosts ahosts ahostsv4 ahostsv6')],
]);

/** `text` is a word, or its sure beginning if `open`. */
export function hostsInText(text: string, open: boolean): readonly string[] {
  const urls = text.split(URL_EDGES).filter((each) => /^[a-z0-9+.-]+:[/\\]/i.test(each));
  const [, remote] = /^[^\s@/:]+@(\[[^\]\s]+\]|[^\s/:@[\]]+):/.exec(text) ?? [];
  return [
    ...urls.filter((url) => !open || isClosed(url)).flatMap(hostsOfUrl),
    ...(remote === undefined ? [] : [hostName(remote)]),
  ];
}

/** `words` are all behind the program: `curl host/path`, `ssh user@host`, `docker -H host:port`. */
export function hostsOfProgram(name: string, words: readonly Word[]): readonly string[] {
  const commands = NETWORK_COMMANDS.get(name);
  if (commands === undefined) return NETWORK_PROGRAMS.has(name) ? words.flatMap(hostsOfWord) : [];
  const [command] = withoutGlobalOptions([name, ...words]).slice(1);
  if (typeof command === 'string' && !command.startsWith('-') && !commands.includes(command)) return [];
  return words.filter((word) => word !== command).flatMap(hostsOfWord);
}

/** Whether a program speaks to hosts that its words name. */
export function isNetworkProgram(name: string): boolean {
  return NETWORK_PROGRAMS.has(name) || NETWORK_COMMANDS.has(name);
}

/** Of what only the run will tell, the names that are written out count all the same: `"$user@host"`. */
function hostsOfWord(word: Word): readonly string[] {
  const texts = isExact(word) ? [word] : [sureText(word), word.source];
  return texts
    .flatMap((text) => text.split(/\s+/))
    .flatMap(valuesIn)
    .flatMap((value) => spelledOut(value.replace(/^file:\/\/[^,]*/i, '')))
    .flatMap(hostsAmong);
}

const LONGEST_NAME = 253;

/** The option itself is none: of `-sxhost` nobody knows where the value begins. */
function valuesIn(text: string): readonly string[] {
  if (!text.startsWith('-')) return [text];
  if (text.startsWith('--')) return text.includes('=') ? [text.slice(text.indexOf('=') + 1)] : [];
  const [letters = ''] = text.slice(1).split(NOT_IN_NAMES, 1);
  const last = letters.slice(1).slice(-LONGEST_NAME);
  return [text.slice(2), ...Array.from(last, (_, at) => last.slice(at))];
}

/** What may stand around a name: `user@host:port`, `Host=name`, `a,b`, `host:port:host:port`. */
const NOT_IN_NAMES = /[^-.\w\u0080-\uFFFF]+/;

function hostsAmong(text: string): readonly string[] {
  const plain = unescaped(text);
  return (plain === text ? [text] : [text, plain])
    .flatMap((each) => each.split(NOT_IN_NAMES).filter(mayBeName).concat(addressesIn(each)))
    .map(hostName)
    .filter((host) => host !== '');
}

/** A number alone is a port if it can be one, else an address: `2130706433` is `127.0.0.1`. */
function mayBeName(text: string): boolean {
  if (/^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) <= 65_535) return false;
  return /[^-._]/.test(text);
}

function addressesIn(text: string): readonly string[] {
  return text.split(/[^\da-f:.]+/i).filter((each) => /:.*:/.test(each) && URL.canParse(`http://[${each}]/`));
}

/** Here and there, so that an escape that is wrong hides no other. */
function unescaped(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}

/** Where a URL may begin or end within a text. */
const URL_EDGES = /[\s'"<>]+|(?<![a-z0-9+.-])(?=[a-z0-9+.-]+:[/\\])/i;

function isClosed(url: string): boolean {
  return /[/\\?#]/.test(url.replace(/^[a-z0-9+.-]+:[/\\]+/i, ''));
}

/** Programs do not agree on how a URL is read: as browsers do, or by RFC 3986. */
function hostsOfUrl(url: string): readonly string[] {
  if (/^file:/i.test(url)) return [];
  const behind = url.replace(/^[a-z0-9+.-]+:[/\\]+/i, '');
  return spelledOut(behind).flatMap((each) => browserHost(`http://${each}`).concat(plainHosts(each)));
}

function browserHost(url: string): readonly string[] {
  return URL.canParse(url) ? [hostName(new URL(url).hostname)] : [];
}

/** The host is what stands between the last `@` and a port, up to a slash, a question mark or a hash. */
function plainHosts(text: string): readonly string[] {
  const [authority = ''] = text.split(/[/?#]/, 1);
  return hostsAmong(authority.slice(authority.lastIndexOf('@') + 1));
}

/** `curl` reads `http://{a,b}.example` as two; behind the host that does not matter. */
function spelledOut(text: string): readonly string[] {
  const [start = ''] = /^(?:[a-z0-9+.-]+:[/\\]+)?[^/\\?#"']*/i.exec(text) ?? [];
  return start.includes('{') ? [text, ...expandBraces(start)] : [text];
}

const MOST_CHARACTERS = 250_000;

function expandBraces(text: string): readonly string[] {
  let texts = [text];
  let left = MOST_CHARACTERS;
  for (let at = 0; at < texts.length;) {
    const each = texts[at] ?? '';
    const [, before = '', inside, after = ''] = /^([^{]*)\{([^{}]*)\}(.*)$/s.exec(each) ?? [];
    const parts = inside?.split(',') ?? [];
    left -= each.length * parts.length;
    if (parts.length === 0 || left < 0) at += 1;
    else texts = texts.toSpliced(at, 1, ...parts.map((part) => `${before}${part}${after}`));
  }
  return texts;
}
