/** The form in which two names are the same file where the file system does not tell upper from lower case. */

export function foldCase(text: string): string {
  // By way of upper case, as some letters have several lower ones: the long s is an s. What stands behind a letter must
  // not matter, as it does for the sigma at the end of a word.
  return text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}
