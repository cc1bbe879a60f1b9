/** Names of hosts and patterns for them: `example.com`, `*.example.com` for all below it, `*` for every host. */

/** One spelling for all that mean the same host: case, a final dot, brackets, and the ways to write an address. */
export function hostName(text: string): string {
  const bare = text
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.+$/, '');
  if (/[\s/\\?#@%*]/.test(bare)) return bare;
  const isAddress = bare.includes(':');
  try {
    return new URL(`http://${isAddress ? `[${bare}]` : bare}/`).hostname.replace(/^\[(.*)\]$/, '$1');
  } catch {
    return bare;
  }
}

/** A pattern in the spelling of `patternsOver`. */
export function hostPattern(text: string): string {
  const below = /^\*\.(.+)$/s.exec(text)?.[1];
  return below === undefined ? hostName(text) : `*.${hostName(below)}`;
}

/** Every pattern that covers a host, so that rules can be looked up instead of walked. */
export function patternsOver(host: string): readonly string[] {
  const name = hostName(host);
  const patterns = [name, '*'];
  // Addresses have nothing below them: only names are cut at their dots.
  if (name.includes(':') || /^[\d.]+$/.test(name)) return patterns;
  for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) patterns.push(`*${name.slice(dot)}`);
  return patterns;
}
