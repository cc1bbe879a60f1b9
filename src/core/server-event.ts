/** One event of a server's stream: `event:` and `data:` as they came. */
export type ServerEvent = { readonly name?: string; readonly data: string };
