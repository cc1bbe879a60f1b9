/** What is said to a model, in the parts that the Responses API knows. */
import type { JsonObject } from '../core/json-object.js';
import type { ContentPart } from '../core/output.js';
import { dataUrl } from './data-url.js';

export function responsesContent(content: readonly ContentPart[]): readonly JsonObject[] {
  return content.map((part) =>
    part.kind === 'text'
      ? { type: 'input_text', text: part.text }
      : { type: 'input_image', image_url: dataUrl(part), ...(part.detail && { detail: part.detail }) },
  );
}
