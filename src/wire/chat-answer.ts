/**
 * Answers as the Chat Completions API spells them. There an answer is text; images go into a message of the user behind
 * them, because nothing may stand between a call and its answer.
 */
import type { JsonObject } from '../core/json-object.js';
import type { Answer } from '../core/outcome.js';
import { answerText } from '../core/outcome.js';
import { chatImage } from './chat-content.js';
import type { Image } from './data-url.js';

/** One answer by itself. */
export function chatAnswer(answer: Answer): JsonObject {
  return toolMessage(answer, () => NO_IMAGE);
}

const NO_IMAGE = '[an image, which cannot be shown through this API]';

/** All answers to the calls of a reply, in the order of these, and what was to be seen in them. */
export function chatAnswers(answers: readonly Answer[]): readonly JsonObject[] {
  const images: Image[] = [];
  const messages = answers.map((answer) =>
    toolMessage(answer, (image) => `[image ${images.push(image)}, shown after the results]`),
  );
  return images.length === 0 ? messages : [...messages, imageMessage(images)];
}

function toolMessage(answer: Answer, inPlaceOf: (image: Image) => string): JsonObject {
  const content = answer.content.map((part) =>
    part.kind === 'image' ? ({ kind: 'text', text: inPlaceOf(part) } as const) : part,
  );
  return { role: 'tool', tool_call_id: answer.callId, content: answerText({ content }) };
}

function imageMessage(images: readonly Image[]): JsonObject {
  const content = images.flatMap((image, at) => [{ type: 'text', text: `image ${at + 1}:` }, chatImage(image)]);
  return { role: 'user', content };
}
