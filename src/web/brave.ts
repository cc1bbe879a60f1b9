/** The search API of Brave. */
import { isJsonObject } from '../core/json-object.js';
import { readHits } from './read-hits.js';
import type { SearchService } from './service.js';

export const brave: SearchService = {
  name: 'Brave Search',
  baseUrl: 'https://api.search.brave.com',
  keyVariable: 'BRAVE_API_KEY',
  longestQuery: 400,
  request: ({ query, count, key }) => ({
    path: 'res/v1/web/search',
    parameters: { q: query, count: String(count) },
    headers: key === undefined ? {} : { 'x-subscription-token': key },
  }),
  readResults(body) {
    if (!isJsonObject(body)) return undefined;
    const { web, type } = body;
    // Where nothing was found, there is no such part.
    if (web === undefined && type === 'search') return [];
    return isJsonObject(web) ? readHits(web['results'], 'description') : undefined;
  },
  advice: (status) =>
    status === 422 ? 'it takes at most 400 characters and 50 words, and a key that it knows' : undefined,
};
