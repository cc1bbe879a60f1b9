/** What was said, as a text. An image is named, not shown. */
import type { LineOf } from '../../index.js';

export function contentText(content: LineOf<'entry.said'>['entry']['content']): string {
  const texts = content.map((part) => (part.kind === 'text' ? part.text : `[${part.mediaType}]`));
  return texts.reduce((before, text) => (/[^\n]$/.test(before) ? `${before}\n${text}` : before + text), '');
}
