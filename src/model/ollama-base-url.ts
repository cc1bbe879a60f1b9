/**
 * What `OLLAMA_HOST` means for who wants to reach Ollama. The variable also tells Ollama itself where to listen, so scheme,
 * host and port may each be missing, and an address may mean every address of the machine.
 */
import { ConfigError } from '../core/errors.js';

export function ollamaBaseUrl(host: string): string {
  const { scheme, place, path } = split(host.trim());
  const { name, port } = splitPort(place);
  const shown = EVERYWHERE.has(name) ? '127.0.0.1' : name;
  // With a scheme, the port is that of the scheme, as in any address.
  const colonPort = port === '' ? (scheme === undefined ? ':11434' : '') : `:${port}`;
  const url = `${scheme ?? 'http'}://${shown}${colonPort}${path.replace(/\/+$/, '')}/v1`;
  if (URL.canParse(url)) return url;
  throw new ConfigError('OLLAMA_HOST is not an address: write it as host:port');
}

const EVERYWHERE = new Set(['', '0.0.0.0', '[::]']);

function split(host: string): { readonly scheme?: string; readonly place: string; readonly path: string } {
  const [, scheme, rest = ''] = /^(?:(https?):\/\/)?(.*)$/is.exec(host) ?? [];
  const [, place = '', path = ''] = /^([^/]*)(.*)$/s.exec(rest) ?? [];
  return { ...(scheme !== undefined && { scheme: scheme.toLowerCase() }), place, path };
}

/** A bare IPv6 address has no port, and gets its brackets here. */
function splitPort(place: string): { readonly name: string; readonly port: string } {
  if (/^[^[]*:[^[]*:/.test(place)) return { name: `[${place}]`, port: '' };
  const [, name = place, port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(place) ?? [];
  return { name, port };
}
