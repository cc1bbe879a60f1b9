/** What is known of each search service: how it is asked, and how its answer is read. Pure, so it can be fuzzed. */
import type { SearchResult } from '../core/web-search.js';

export interface SearchService {
  /** What people call it. */
  readonly name: string;
  /** Absent where everybody runs their own. */
  readonly baseUrl?: string;
  /** The variable that usually holds its key. Absent where there is none. */
  readonly keyVariable?: string;
  /** Characters that it takes in a query. */
  readonly longestQuery: number;
  /** The request for a query; the path counts from the base URL. */
  request(question: Question): ServiceRequest;
  /** The results in its answer; undefined when it is no answer of such a service. */
  readResults(body: unknown): readonly SearchResult[] | undefined;
  /** Whoever runs it has to do this, for a status that means something of its own here. */
  advice(status: number): string | undefined;
}

export type Question = { readonly query: string; readonly count: number; readonly key: string | undefined };

export type ServiceRequest = {
  readonly path: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON with POST; without one it is a GET. */
  readonly body?: Readonly<Record<string, unknown>>;
};

/** Most results that any of them is asked for. */
export const MOST_RESULTS = 20;

export function bearer(key: string | undefined): Readonly<Record<string, string>> {
  return key === undefined ? {} : { authorization: `Bearer ${key}` };
}
