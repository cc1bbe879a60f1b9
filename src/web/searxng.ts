/** SearXNG, a search service that people run themselves. It asks other engines, so it takes what they take. */
import { isJsonObject } from '../core/json-object.js';
import { readHits } from './read-hits.js';
import { bearer } from './service.js';
import type { SearchService } from './service.js';

export const searxng: SearchService = {
  name: 'SearXNG',
  longestQuery: 2_000,
  // It has no keys of its own; what stands in front of it may.
  request: ({ query, key }) => ({ path: 'search', parameters: { q: query, format: 'json' }, headers: bearer(key) }),
  readResults: (body) => (isJsonObject(body) ? readHits(body['results'], 'content') : undefined),
  advice(status) {
    if (status === 403) return 'its settings.yml has to list "json" under search.formats';
    return status === 429 ? 'its limiter stops programs (server.limiter in its settings.yml)' : undefined;
  },
};
