/** Programs of the system: what everybody means by their name, whichever way they are called. */

const SYSTEM_FOLDERS = /^\/(?:(?:usr\/(?:local\/)?)?s?bin|opt\/homebrew\/bin)\/([^/]+)$/;

/** The name of a program, with or without the folder of the system it lies in; undefined for what lies elsewhere. */
export function systemProgram(word: string): string | undefined {
  if (!word.includes('/')) return word === '' ? undefined : word;
  return SYSTEM_FOLDERS.exec(word)?.[1];
}
