/** Text from a model, made safe for a terminal: what could move the cursor or hide words is shown, not obeyed. */

// Control characters but tab and line feed, and whatever else reorders text or takes no room: format characters, line
// separators, and the letters that are drawn as nothing.
const UNSAFE = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;

export function visible(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
