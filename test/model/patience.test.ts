import { describe, expect, test } from 'vitest';

import { ModelError } from '../../src/core/model.js';
import { PLAIN_DIALECT } from '../../src/core/provider.js';
import { createPatience } from '../../src/model/patience.js';
import { readReply } from '../../src/model/read-reply.js';
import { PROTOCOLS } from '../wire/spelled-streams.js';

/** Chunks that each take a second to come; what the reader does with them takes an hour. */
function slowly(mostMs: number, chunks: number, isHeard: (at: number) => boolean): Promise<number> {
  let now = 0;
  const patience = createPatience(mostMs, () => now);
  async function* server(): AsyncGenerator<Uint8Array, void, void> {
    for (let at = 0; at < chunks; at += 1) {
      now += 1000;
      yield Buffer.from(': busy\n\n');
    }
  }
  const read = async (): Promise<number> => {
    let seen = 0;
    for await (const _ of patience.watch(server())) {
      now += 3_600_000;
      if (isHeard(seen)) patience.heard();
      seen += 1;
    }
    return seen;
  };
  return read();
}

test('signs of life are enough for as long as was said, and no longer', async () => {
  expect(await slowly(10_000, 9, () => false)).toBe(9);
  await expect(slowly(10_000, 99, () => false)).rejects.toEqual(
    new ModelError('stalled', 'the server kept the connection open for 10 s without saying anything'),
  );
});

test('what is said starts the wait anew', async () => {
  expect(await slowly(10_000, 99, (at) => at % 9 === 8)).toBe(99);
  await expect(slowly(10_000, 99, (at) => at === 8)).rejects.toMatchObject({ kind: 'stalled' });
});

test('whoever stops reading closes what is read', async () => {
  let closed = false;
  async function* server(): AsyncGenerator<Uint8Array, void, void> {
    try {
      for (;;) yield Buffer.from('x');
    } finally {
      closed = true;
    }
  }
  for await (const _ of createPatience(1000).watch(server())) break;
  expect(closed).toBe(true);
});

describe.each(Object.entries(PROTOCOLS))('over the %s API', (_wire, protocol) => {
  test.each([
    ['comments', ': busy\n\n'],
    ['empty lines', '\n'],
  ])('a server that sends nothing but %s is not waited for without end', async (_, sign) => {
    async function* endless(): AsyncGenerator<Buffer, void, void> {
      for (;;) yield await new Promise<Buffer>((resolve) => void setImmediate(resolve, Buffer.from(sign)));
    }
    const reading = { protocol, dialect: PLAIN_DIALECT, toolNames: [], idleMs: 2, onEvent: () => {} };
    await expect(readReply({ chunks: endless() }, reading).next()).rejects.toMatchObject({
      kind: 'stalled',
      message: 'the server kept the connection open for 0.02 s without saying anything',
    });
  });
});
