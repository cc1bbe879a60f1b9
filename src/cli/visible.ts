/** Text from a model, made safe for a terminal: what could move the cursor or hide words is shown, not obeyed. */

// Control characters but tab and line feed, and the Unicode characters that reorder or hide text.
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

export function visible(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
