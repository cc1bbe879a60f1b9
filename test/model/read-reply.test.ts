import { expect, test } from 'vitest';

import { PLAIN_DIALECT } from '../../src/core/provider.js';
import { readReply } from '../../src/model/read-reply.js';
import { chatProtocol } from '../../src/wire/chat-protocol.js';
import { everything } from './speak.js';

test.each([
  ['says the same for ever', 'data: {"choices":[{"delta":{"content":"more and "}}]}\n\n'],
  ['sends nothing but comments', ': still here\n\n'],
  ['sends nothing but blanks', ' \n'],
])('a server that %s is left after a while', async (_, piece) => {
  let sent = 0;
  async function* chunks(): AsyncGenerator<Buffer, void, void> {
    for (; sent < 100_000; sent += piece.length) yield Buffer.from(piece);
  }
  const reading = {
    protocol: chatProtocol,
    dialect: PLAIN_DIALECT,
    toolNames: [],
    onEvent: () => {},
    idleMs: 10_000,
    mostBytes: 1_000,
  };
  const events = await everything(readReply({ chunks: chunks() }, reading));
  expect(events.at(-1)).toMatchObject({
    failed: 'garbled',
    message: 'the server sent more than 1000 bytes in one response',
  });
  expect(sent).toBeLessThan(1_100);
});
