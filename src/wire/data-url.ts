/** An image in the text of a request. */
import type { ContentPart } from '../core/output.js';

export type Image = Extract<ContentPart, { kind: 'image' }>;

export function dataUrl({ mediaType, base64 }: Image): string {
  return `data:${mediaType};base64,${base64}`;
}
