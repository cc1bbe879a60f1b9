/** Searching the web, whoever does it. */

/** `cached`: a hosted search answers from what it has stored. `live`: it may look at the web. */
export const WEB_SEARCH_MODES = ['disabled', 'cached', 'live'] as const;
export type WebSearchMode = (typeof WEB_SEARCH_MODES)[number];

/** A search service that a user has named. */
export interface WebSearch {
  /** Where it is, for rules over hosts. */
  readonly host: string;
  /** Best first. Throws a `ToolFailure`, or the signal's reason once it has fired. */
  search(query: string, options: SearchOptions): Promise<readonly SearchResult[]>;
}

type SearchOptions = {
  /** Default: what the user has set for the service. */
  readonly maxResults?: number | undefined;
  readonly signal: AbortSignal;
};

/** Plain text of bounded length, and an address to look at. */
export type SearchResult = { readonly title: string; readonly url: string; readonly snippet: string };

/** What a user can set about the service that is asked where a model's own server has no search. */
export type SearchBackendSettings = {
  /** `searxng`, `brave` or `tavily`. */
  readonly kind: string;
  /** Default: where the service itself is; SearXNG has no such place. */
  readonly baseUrl?: string;
  /** The variable of the environment that holds the key. Default: the usual one of the service. */
  readonly envKey?: string;
  /** Default 5, at most 20. */
  readonly maxResults?: number;
};
