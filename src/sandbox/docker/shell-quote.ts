/** One word of a shell, whatever it holds. Between single quotes nothing has a meaning but the quote itself. */
export function shellQuote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
