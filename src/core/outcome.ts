/** How a call ended: exactly one of these, whatever happened on the way. */
import type { Payload } from './call.js';
import type { CallId } from './ids.js';
import type { ContentPart, PlainOutput } from './output.js';

export type RejectedBy = 'policy' | 'user' | 'hook';
/** A signal cancels a call; a user who answers a question with "abort" ends the turn, or the deadline of one does. */
export type AbortedBy = 'signal' | 'user' | 'deadline';

export type Outcome =
  | { readonly kind: 'completed'; readonly output: PlainOutput }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'rejected'; readonly by: RejectedBy; readonly reason: string }
  | { readonly kind: 'aborted'; readonly by: AbortedBy; readonly afterRun: boolean }
  | { readonly kind: 'crashed'; readonly message: string }
  | { readonly kind: 'fatal'; readonly message: string };

/** What goes back to the model for one call, before a wire gives it its shape. */
export type Answer = {
  readonly callId: CallId;
  readonly payloadKind: Payload['kind'];
  readonly content: readonly ContentPart[];
  readonly success: boolean;
};

export type CallResult = { readonly outcome: Outcome; readonly answer: Answer };

/** Answered content as one text, images left out: what a person or a text-only wire can read. */
export function answerText({ content }: Pick<Answer, 'content'>): string {
  return content.map((part) => (part.kind === 'text' ? part.text : '')).join('');
}
