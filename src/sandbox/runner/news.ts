/** What the spawner tells, in pieces of the same size (`struct news` in native/runner.c). */
import type { Readable } from 'node:stream';

export type News = {
  readonly what: 'started' | 'stopped' | 'ended';
  /** The number of the request, or of the process that has ended. */
  readonly about: number;
  /** The number of the process, of the step that failed, or the status that `wait` gives. */
  readonly value: number;
};

const BYTES = 16;
const KINDS = [undefined, 'started', 'stopped', 'ended'] as const;

export function readNews(from: Readable, take: (news: News) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  from.on('data', (chunk: Buffer) => {
    const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const whole = all.length - (all.length % BYTES);
    for (let at = 0; at < whole; at += BYTES) {
      const what = KINDS[all.readUInt32LE(at)];
      if (what !== undefined) take({ what, about: all.readUInt32LE(at + 4), value: all.readUInt32LE(at + 8) });
    }
    rest = all.subarray(whole);
  });
}
