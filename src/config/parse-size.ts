/** Sizes as people write them: `100MB`, `1.5 GiB`, `4096`. A step is 1024, with the `i` and without it. */

/** Bytes; undefined for what is no size. */
export function parseSize(text: string): number | undefined {
  const [, amount, letter] = SIZE.exec(text.trim()) ?? [];
  if (amount === undefined) return undefined;
  const bytes = Math.round(Number(amount) * 1024 ** ('kmgt'.indexOf(letter?.toLowerCase() ?? ' ') + 1));
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

const SIZE = /^(\d+(?:\.\d+)?)\s*(?:([kmgt])i?b?|b|bytes?)?$/i;
