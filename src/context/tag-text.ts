/** Text between tags. A folder may be called anything, and no name may end a tag or begin a line of its own. */

export function tagText(text: string): string {
  return text.replaceAll(SPECIAL, (character) => NAMES[character] ?? `&#${character.codePointAt(0)};`);
}

// oxlint-disable-next-line no-control-regex -- these are what is looked for
const SPECIAL = /[&<>\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

const NAMES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
