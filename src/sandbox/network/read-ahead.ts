/** Reads the beginning of a connection until it is understood, and puts back what was not part of it. */
import type { Socket } from 'node:net';

import type { Parsed } from './parsed.js';

type Ahead<Value> =
  | { readonly kind: 'read'; readonly value: Value }
  /** It ended, took too long or was nonsense; `held` bytes of it had come. */
  | { readonly kind: 'cut-short'; readonly held: number };

type AheadLimits = {
  readonly bytes: number;
  /** Counted from the first byte. */
  readonly ms: number;
};

export function readAhead<Value>(
  socket: Socket,
  parse: (bytes: Buffer) => Parsed<Value>,
  limits: AheadLimits,
): Promise<Ahead<Value>> {
  return new Promise((resolve) => {
    let held: Buffer = Buffer.alloc(0);
    let timer: NodeJS.Timeout | undefined;
    const settle = (ahead: Ahead<Value>): void => {
      clearTimeout(timer);
      socket.off('readable', look).off('end', giveUp).off('close', giveUp);
      resolve(ahead);
    };
    const giveUp = (): void => settle({ kind: 'cut-short', held: held.length });
    const look = (): void => {
      const chunk = socket.read() as Buffer | null;
      if (chunk === null) return;
      timer ??= setTimeout(giveUp, limits.ms);
      held = Buffer.concat([held, chunk]);
      const parsed = parse(held);
      if (parsed.kind === 'done') {
        settle({ kind: 'read', value: parsed.value });
        if (parsed.length < held.length) socket.unshift(held.subarray(parsed.length));
      } else if (parsed.kind === 'bad' || held.length >= limits.bytes) giveUp();
    };
    if (socket.readableEnded || socket.destroyed) return giveUp();
    socket.on('readable', look).on('end', giveUp).on('close', giveUp);
    look();
  });
}
