/**
 * Searches the web. Servers that have a search of their own run it themselves; the others are told of a function over the
 * service that the user has named, and of nothing where there is none.
 */
import { describe, int, minimum, object, optional, string } from 'zod/mini';
import type { z } from 'zod/mini';

import { defineTool } from '../core/define-tool.js';
import { ToolFailure } from '../core/errors.js';
import type { Intent } from '../core/effects.js';
import { textOutput } from '../core/output.js';
import type { ToolOutput } from '../core/output.js';
import type { RunScope, Tool, ToolSpec } from '../core/tool.js';
import type { SearchResult, WebSearch, WebSearchMode } from '../core/web-search.js';

const NAME = 'web_search';

/** More is no question any more, and a way to carry things out. */
const LONGEST_QUERY = 2_000;

const input = () =>
  object({
    query: string().check(describe('What to search for.')),
    max_results: optional(int().check(minimum(1), describe('Most results to return. At most 20.'))),
  });

type SearchInput = z.infer<ReturnType<typeof input>>;

export type WebSearchOptions = {
  readonly mode: WebSearchMode;
  /** Who is asked where the model's own server has no search. */
  readonly search?: WebSearch | undefined;
};

export function createWebSearch({ mode, search }: WebSearchOptions): Tool<SearchInput> {
  const asFunction = defineTool({
    name: NAME,
    description:
      'Searches the web and returns a JSON list of results, each with title, url and snippet, the best first.',
    input,
    concurrency: 'shared',
    example: '{"query": "node 20 release notes"}',
    parameterAliases: { q: 'query', search_query: 'query', count: 'max_results', num_results: 'max_results' },
    offer: () => (mode === 'disabled' ? 'off' : 'advertised'),
    intent: () => intentFor(search),
    present: ({ query }) => ({ title: `Search the web for ${query}` }),
    run: (request, scope) => searchWith(search, request, scope),
  });
  return { ...asFunction, spec: hosted(asFunction.spec, mode, search !== undefined) };
}

/** Servers that know it are told how they may search. */
function hosted(spec: ToolSpec, mode: WebSearchMode, canRun: boolean): ToolSpec {
  const options = { external_web_access: mode === 'live' };
  if (spec.kind !== 'function' || !canRun) return { kind: 'hosted', name: NAME, options };
  const { description, parameters, strict } = spec;
  return { kind: 'hosted', name: NAME, options, lowered: { description, parameters, strict } };
}

/** It changes nothing, and the user has named the host; rules that restrict the host or the tool still hold. */
function intentFor(search: WebSearch | undefined): Intent {
  if (search === undefined) return { effects: [] };
  const { host } = search;
  return { effects: [{ kind: 'remote', server: NAME, tool: 'search', host, readOnly: true, destructive: false }] };
}

async function searchWith(
  search: WebSearch | undefined,
  { query: given, max_results: maxResults }: SearchInput,
  { signal, budgetBytes }: RunScope,
): Promise<ToolOutput> {
  const query = given.trim();
  if (search === undefined) throw new ToolFailure(NOBODY_TO_ASK);
  if (query === '') throw new ToolFailure('the query is empty. Say what to search for.');
  if (query.length > LONGEST_QUERY) {
    throw new ToolFailure(
      `the query has ${query.length} characters, and at most ${LONGEST_QUERY} are sent. Ask for less.`,
    );
  }
  const found = await search.search(query, { maxResults, signal });
  const shown = fitting(found, budgetBytes);
  return textOutput(JSON.stringify(shown), {
    details: { query, host: search.host, results: shown.length, leftOut: found.length - shown.length },
  });
}

const NOBODY_TO_ASK =
  'web search is not set up here: there is no search service that could be asked. Go on without it, or tell the user to ' +
  'name one under web_search_backend in the configuration.';

/** The best of them, as many as fit: a list that is cut in the middle is no JSON. */
function fitting(results: readonly SearchResult[], bytes: number): readonly SearchResult[] {
  const fits = (count: number): boolean => Buffer.byteLength(JSON.stringify(results.slice(0, count))) <= bytes;
  let count = results.length;
  while (count > 0 && !fits(count)) count -= 1;
  return results.slice(0, count);
}
