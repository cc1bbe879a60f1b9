/** What the item of a search is called, which is also what servers call the tool. */
export const WEB_SEARCH = 'web_search' as const;
