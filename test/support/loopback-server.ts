/** A web server of the machine itself, which a confined command reaches through the proxy or not at all. */
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Not the address that commands are told to reach without a proxy; it is the machine's own all the same. */
export const OTHER_LOOPBACK = '127.0.0.2';

export type LoopbackServer = { readonly port: number; readonly requests: readonly string[] };

/** Answers every request with a text, on every address of the machine's own. */
export async function loopbackServer(answer: string | RequestListener): Promise<LoopbackServer> {
  const requests: string[] = [];
  const respond: RequestListener = typeof answer === 'string' ? (_, response) => void response.end(answer) : answer;
  const server = createServer((request, response) => {
    requests.push(`${request.headers.host?.replace(/:\d+$/, '')} ${request.method} ${request.url}`);
    respond(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, requests };
}
