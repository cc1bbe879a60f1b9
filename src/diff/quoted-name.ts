/** Names of files the way git writes them: whatever is not plain ASCII stands in quotes, byte by byte. */

const SHORT: Readonly<Record<number, string>> = {
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
  34: '\\"',
  92: '\\\\',
};

export function quotedName(name: string): string {
  const bytes = [...Buffer.from(name)];
  return bytes.every(isPlain) ? name : `"${bytes.map(spell).join('')}"`;
}

function spell(byte: number): string {
  if (isPlain(byte)) return String.fromCharCode(byte);
  return SHORT[byte] ?? `\\${byte.toString(8).padStart(3, '0')}`;
}

function isPlain(byte: number): boolean {
  return byte >= 32 && byte < 127 && SHORT[byte] === undefined;
}
