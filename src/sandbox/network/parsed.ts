/** What a parser makes of the first bytes of something: it is always called again from the beginning. */
export type Parsed<Value> =
  | { readonly kind: 'more' }
  | { readonly kind: 'bad' }
  | { readonly kind: 'done'; readonly value: Value; readonly length: number };
