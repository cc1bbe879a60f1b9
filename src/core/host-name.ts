/** Names of hosts, however they are written. */

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
