/**
 * Which proxy a request goes through, by the variables that other programs know too. Lower case wins over upper case,
 * and the one for the scheme over `ALL_PROXY`. What is on this machine is reached directly: a proxy could not find it.
 */
import { ConfigError } from '../core/errors.js';
import { hostName } from '../core/host-name.js';

export type Environment = Readonly<Record<string, string | undefined>>;

export type ProxyChoice = {
  /** `http:` or `https:`; may hold a user and a password. */
  readonly url: URL;
  /** The variable that named it. */
  readonly variable: string;
};

/** Throws a `ConfigError` for a proxy that cannot be used: going around it would be worse. */
export function proxyFor(target: URL, env: Environment): ProxyChoice | undefined {
  const scheme = target.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const variable = [scheme, scheme.toUpperCase(), 'all_proxy', 'ALL_PROXY'].find((name) => isSet(env[name]));
  if (variable === undefined || isOnThisMachine(target) || isExcepted(target, exceptions(env))) return undefined;
  return { url: proxyUrl(variable, env[variable]?.trim() ?? ''), variable };
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value.trim() !== '';
}

function isOnThisMachine({ hostname }: URL): boolean {
  const name = hostName(hostname);
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(\.\d+){3}$/.test(name);
}

function exceptions(env: Environment): readonly string[] {
  const list = isSet(env['no_proxy']) ? env['no_proxy'] : env['NO_PROXY'];
  return (list ?? '').split(/[\s,]+/).filter((entry) => entry !== '');
}

/** A name stands for itself and all below it, also with `.` or `*.` before it; with a port, for that port only. */
function isExcepted(target: URL, entries: readonly string[]): boolean {
  const host = hostName(target.hostname);
  const port = target.port || (target.protocol === 'https:' ? '443' : '80');
  return entries.some((entry) => {
    if (entry === '*') return true;
    const { name, port: only = port } = splitPort(entry);
    const wanted = hostName(name.replace(/^\*?\./, ''));
    return only === port && wanted !== '' && (host === wanted || host.endsWith(`.${wanted}`));
  });
}

/** Colons of a bare IPv6 address are no port. */
function splitPort(entry: string): { readonly name: string; readonly port?: string } {
  const [, name, port] = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
  return name === undefined || port === undefined ? { name: entry } : { name, port };
}

/** Without a scheme it is spoken to in plain HTTP, as everywhere. */
function proxyUrl(variable: string, value: string): URL {
  const text = value.includes('://') ? value : `http://${value}`;
  if (!URL.canParse(text)) {
    throw new ConfigError(`${variable} does not name a proxy: write it as http://host:port`);
  }
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ConfigError(
      `${variable} names a proxy of the kind ${url.protocol}// that cannot be used: ` +
        'name one that begins with http://, or list the host in NO_PROXY',
    );
  }
  return url;
}
