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
    return plainAddress(new URL(`http://${isAddress ? `[${bare}]` : bare}/`).hostname.replace(/^\[(.*)\]$/, '$1'));
  } catch {
    return bare;
  }
}

/** `::ffff:7f00:1` leads to the same place as `127.0.0.1`. */
function plainAddress(name: string): string {
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(name) ?? [];
  if (high === undefined || low === undefined) return name;
  return [high, low].flatMap((half) => [parseInt(half, 16) >> 8, parseInt(half, 16) & 255]).join('.');
}
