/** Results out of the JSON of a stranger: what is no result is passed over, and nothing is longer than it need be. */
import { isJsonObject } from '../core/json-object.js';
import type { SearchResult } from '../core/web-search.js';
import { plainText } from './plain-text.js';
import { MOST_RESULTS } from './service.js';

const LONGEST_TITLE = 200;
const LONGEST_URL = 1_000;
const LONGEST_SNIPPET = 600;

/** Undefined when it is no list. `snippetKey` is where the service has the text of a hit. */
export function readHits(list: unknown, snippetKey: string): readonly SearchResult[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return list
    .slice(0, MOST_HITS)
    .flatMap((hit: unknown) => readHit(hit, snippetKey) ?? [])
    .slice(0, MOST_RESULTS);
}

/** A list may hold much that is no hit. */
const MOST_HITS = 10 * MOST_RESULTS;

function readHit(hit: unknown, snippetKey: string): SearchResult | undefined {
  if (!isJsonObject(hit)) return undefined;
  const url = webAddress(hit['url']);
  if (url === undefined) return undefined;
  return {
    title: plainText(hit['title'], LONGEST_TITLE) || url,
    url,
    snippet: plainText(hit[snippetKey], LONGEST_SNIPPET),
  };
}

/** Half an address leads nowhere, so a longer one is left out. */
function webAddress(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > LONGEST_URL || !URL.canParse(value)) return undefined;
  const { protocol, href } = new URL(value);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return isWeb && href.length <= LONGEST_URL ? href : undefined;
}
