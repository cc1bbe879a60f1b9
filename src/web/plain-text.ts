/** What a snippet says, without its markup: one line of bounded length. */

/** Nothing for what is no text. */
export function plainText(value: unknown, longest: number): string {
  if (typeof value !== 'string') return '';
  // Markup makes it longer, but not endlessly so: what is cut here would not be shown.
  const text = value.slice(0, ROOM_FOR_MARKUP * longest);
  const bare = text.replaceAll(TAG, '').replaceAll(ENTITY, decoded).replaceAll(UNSEEN, '');
  return cut(bare.replaceAll(SPACE, ' ').trim(), longest);
}

const ROOM_FOR_MARKUP = 8;

/** `a < b` is none. */
const TAG = /<\/?[a-z][^<>]*>|<!--[^<>]*-->/gi;
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi;
/** What changes the direction or hides text, and halves of characters; but what joins letters is part of a word. */
const UNSEEN = /(?![\u200C\u200D])[\p{Cf}\p{Cs}]/gu;
const SPACE = /[\s\p{Cc}]+/gu;

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  hellip: '…',
  ndash: '–',
  mdash: '—',
};

function decoded(entity: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return Object.hasOwn(NAMED, name) ? (NAMED[name] ?? entity) : entity;
  const code = decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal);
  return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : entity;
}

/** Never between the halves of one character. */
function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
