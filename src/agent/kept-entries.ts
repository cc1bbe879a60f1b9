/** What stays word for word when a conversation is told shorter: our own messages, and what the user said. */
import type { InputEntry, Model } from '../core/model.js';
import type { ContentPart } from '../core/output.js';
import { estimateTokens } from './estimate.js';
import type { Told } from './history.js';

/** For what the user said before the last message, which is what is being worked on and stays whatever its length. */
const MOST_EARLIER_TOKENS = 20_000;

export function keptEntries(entries: readonly Told[], model: Model): readonly Told[] {
  const context = entries.filter(({ origin }) => origin === 'context');
  const said = entries.filter(({ origin }) => origin === 'user');
  const latest = said.at(-1);
  return [...context, ...newestOf(said.slice(0, -1), model), ...(latest ? [latest] : [])];
}

/** The newest that fit, without their images: these were looked at when they came. */
function newestOf(said: readonly Told[], model: Model): readonly Told[] {
  let room = MOST_EARLIER_TOKENS;
  const plain = said.map(({ entry, origin }) => ({ entry: withoutImages(entry as InputEntry), origin }));
  const from = plain.findLastIndex(({ entry }) => {
    room -= estimateTokens(entry, model.encode(entry).length);
    return room < 0;
  });
  return plain.slice(from + 1);
}

function withoutImages(entry: InputEntry): InputEntry {
  return { ...entry, content: entry.content.map(withoutImage) };
}

function withoutImage(part: ContentPart): ContentPart {
  return part.kind === 'image' ? { kind: 'text', text: '[an image that was shown here earlier]' } : part;
}
