/** What can happen to a request before it has its whole answer. Says what happened and what to do; holds no secrets. */

/**
 * `unreachable`: no connection came about. `closed`: the connection ended before the answer did. `stalled`: nothing
 * came for too long. `garbled`: what came is not HTTP, or has no bounds.
 */
export type HttpFailure = 'unreachable' | 'closed' | 'stalled' | 'garbled';

export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly kind: HttpFailure;
  /** In a word or two, for lists. */
  readonly reason?: string;

  constructor(kind: HttpFailure, message: string, { reason, ...options }: ErrorOptions & { reason?: string } = {}) {
    super(message, options);
    this.kind = kind;
    if (reason !== undefined) this.reason = reason;
  }
}
