/** The search API of Tavily. */
import { isJsonObject } from '../core/json-object.js';
import { readHits } from './read-hits.js';
import { bearer } from './service.js';
import type { SearchService } from './service.js';

export const tavily: SearchService = {
  name: 'Tavily',
  baseUrl: 'https://api.tavily.com',
  keyVariable: 'TAVILY_API_KEY',
  longestQuery: 400,
  request: ({ query, count, key }) => ({
    path: 'search',
    headers: bearer(key),
    body: { query, max_results: count, search_depth: 'basic' },
  }),
  readResults: (body) => (isJsonObject(body) ? readHits(body['results'], 'content') : undefined),
  advice: (status) => (status === 432 || status === 433 ? 'what the plan pays for is used up' : undefined),
};
