/** An error response, in the server's own words. Both APIs are answered alike by the many servers that speak them. */
import type { ModelError } from '../core/model.js';
import { refusalOf } from './failure.js';
import { readErrorBody } from './server-words.js';

export function readRefusal(status: number, body: string): ModelError {
  return refusalOf(readErrorBody(body), status);
}
