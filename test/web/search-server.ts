/** A search service of the machine itself, and who asks it. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';

import type { SearchBackendSettings, WebSearch } from '../../src/core/web-search.js';
import { createHttpClient } from '../../src/http/http-client.js';
import { createSearchBackend } from '../../src/web/create-search-backend.js';
import { loopbackServer } from '../support/loopback-server.js';

export const KEY = 'key-7f3a9c';

type Seen = {
  readonly method?: string;
  readonly url?: string;
  readonly headers: IncomingHttpHeaders;
  body: string;
};

export type SearchServer = { readonly baseUrl: string; readonly seen: readonly Seen[] };

type Reply = { readonly status?: number; readonly json?: unknown; readonly text?: string };

/** Says the same to everybody, or does as it is told. */
export async function searchServer(reply: Reply | ((response: ServerResponse) => void)): Promise<SearchServer> {
  const seen: Seen[] = [];
  const { port } = await loopbackServer((request, response) => {
    const { method, url, headers } = request;
    const one: Seen = { ...(method && { method }), ...(url && { url }), headers, body: '' };
    seen.push(one);
    request.on('data', (chunk: Buffer) => (one.body += chunk.toString()));
    request.on('end', () => {
      if (typeof reply === 'function') return reply(response);
      response.writeHead(reply.status ?? 200, { 'content-type': 'application/json' });
      return response.end(reply.text ?? JSON.stringify(reply.json));
    });
  });
  return { baseUrl: `http://127.0.0.1:${port}`, seen };
}

export function backend(settings: SearchBackendSettings, timeoutMs = 20_000): WebSearch {
  const http = createHttpClient({ env: {} });
  onTestFinished(() => http.close());
  return createSearchBackend(settings, { env: { BRAVE_API_KEY: KEY, TAVILY_API_KEY: KEY }, http, timeoutMs });
}

export const never = new AbortController().signal;

/** The message of whatever is thrown. */
export async function failureOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'it did not fail',
    (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : String(error)),
  );
}
