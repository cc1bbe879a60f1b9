/** What a command has to know to go through the proxy, in the words of the many tools that ask for it. */

/** The name is for looks; the token says whose connection it is. */
const USER = 'tenon';

/** Servers of the command's own are in its own network, where the proxy is not needed. */
const DIRECT = 'localhost,127.0.0.1,::1';

export function proxyEnvironment(port: number, token: string): Record<string, string> {
  const url = `http://${USER}:${token}@127.0.0.1:${port}`;
  return {
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
    // Not `socks5h:`, which several Python clients refuse to start with; everybody can tunnel through HTTP.
    ALL_PROXY: url,
    NO_PROXY: DIRECT,
    http_proxy: url,
    https_proxy: url,
    all_proxy: url,
    no_proxy: DIRECT,
    NODE_USE_ENV_PROXY: '1',
    // Yarn reads no other names, and does not start when it finds one for exceptions.
    YARN_HTTP_PROXY: url,
    YARN_HTTPS_PROXY: url,
  };
}
