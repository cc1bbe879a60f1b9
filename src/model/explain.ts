/** Whatever went wrong, as the one error that the agent knows: with the server's address, and without any secret. */
import { ModelError } from '../core/model.js';
import { HttpError } from '../http/http-error.js';
import type { Endpoint } from './endpoint.js';

/** `hasBegun`: events had been read. What is neither ours nor the server's is handed back as it is. */
export function explain(error: unknown, { address, redact }: Endpoint, hasBegun: boolean): unknown {
  if (error instanceof HttpError) {
    return new ModelError(error.kind, redact(error.message), { streaming: hasBegun, cause: error });
  }
  if (!(error instanceof ModelError)) return error;
  const { kind, message, status, retryAfterMs, streaming } = error;
  return new ModelError(kind, `${address}: ${redact(message)}`, {
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    streaming: streaming || hasBegun,
  });
}
