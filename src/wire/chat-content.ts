/** What is said to a model, as the Chat Completions API spells it. */
import type { JsonObject } from '../core/json-object.js';
import type { ContentPart } from '../core/output.js';
import { dataUrl } from './data-url.js';
import type { Image } from './data-url.js';

/** One text where there is no image: some servers know nothing else. */
export function chatContent(content: readonly ContentPart[]): string | readonly JsonObject[] {
  if (content.every((part) => part.kind === 'text')) return content.map((part) => part.text).join('\n\n');
  return content.map((part) => (part.kind === 'text' ? { type: 'text', text: part.text } : chatImage(part)));
}

/** This API has no closer look than a high one. */
export function chatImage(image: Image): JsonObject {
  return { type: 'image_url', image_url: { url: dataUrl(image), ...(image.detail && { detail: 'high' }) } };
}
