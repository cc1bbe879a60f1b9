/** The ends of a stream that are none, and the holes in it. */
import { ModelError } from '../core/model.js';

export function closedTooEarly(): ModelError {
  return new ModelError('closed', 'the stream of the server ended before its response was complete', {
    streaming: true,
  });
}

/** Calls or items. No model has that much to do at once; a server that counts on may never stop. */
export const MOST_PARTS = 2_000;

export function tooManyParts(): ModelError {
  const message = `the server sent more than ${MOST_PARTS} calls or items in one response`;
  return new ModelError('garbled', message, { streaming: true });
}

export function noStream(): ModelError {
  const message = 'what the server sent is not a response of a model. Check base_url and wire_api of the provider.';
  return new ModelError('garbled', message);
}

/**
 * Whether data that is not JSON was meant to be. Words alone never were a piece of a response: there are gateways that
 * send some to keep a connection open.
 */
export function isTorn(data: string): boolean {
  return /[{}"]/.test(data);
}

export function tornPiece(): ModelError {
  const message = 'the response has a hole: a piece of it, as the server sent it, is not valid JSON';
  return new ModelError('garbled', message, { streaming: true });
}
