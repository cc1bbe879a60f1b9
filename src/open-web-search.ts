/** The tool that searches the web, put together with the service that the user has named. */
import type { Tool } from './core/tool.js';
import type { SearchBackendSettings, WebSearch, WebSearchMode } from './core/web-search.js';
import { createHttpClient } from './http/http-client.js';
import { createWebSearch } from './tools/web-search.js';
import { createSearchBackend } from './web/create-search-backend.js';

export type WebSearchSettings = {
  readonly mode: WebSearchMode;
  /** Who is asked where the model's own server has no search. Without one, such models have none. */
  readonly backend?: SearchBackendSettings;
  /** Your own, in place of `backend`. */
  readonly search?: WebSearch;
};

/** Throws a `ConfigError` for settings that cannot work, unless nothing is searched anyway. */
export function openWebSearch({ mode, backend, search }: WebSearchSettings): Tool {
  const isUsed = mode !== 'disabled' && search === undefined && backend !== undefined;
  const opened = isUsed ? createSearchBackend(backend, { env: process.env, http: client() }) : search;
  return createWebSearch({ mode, search: opened });
}

/** It opens nothing before the first search, and its idle connections keep nobody waiting. */
function client() {
  return createHttpClient({ env: process.env });
}
