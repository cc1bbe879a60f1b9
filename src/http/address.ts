/** Where a URL leads, as sockets want it: brackets around an IPv6 address belong to the URL, not to the address. */
export function address({ hostname, port, protocol }: URL): { readonly host: string; readonly port: number } {
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port || (protocol === 'https:' ? 443 : 80)) };
}
