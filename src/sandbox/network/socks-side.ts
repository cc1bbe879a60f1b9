/** SOCKS5 clients of the proxy. They say names, never look them up, and their password is the token. */
import type { Socket } from 'node:net';

import { parseHost } from './destination.js';
import type { Destination } from './destination.js';
import { answerAndClose } from './plain-answer.js';
import type { ProxyParts } from './proxy-parts.js';
import { readAhead } from './read-ahead.js';
import { malformed } from './refusal.js';
import type { Run } from './runs.js';
import {
  CONNECT,
  methodAnswer,
  parseGreeting,
  parsePassword,
  parseRequest,
  passwordAnswer,
  REPLY,
  requestAnswer,
} from './socks-messages.js';
import type { Parsed } from './parsed.js';
import { tunnel } from './tunnel.js';
import { whileThere } from './while-there.js';

/** More than the longest message has. */
const MESSAGE_BYTES = 1_024;

export async function serveSocks(client: Socket, parts: ProxyParts): Promise<void> {
  const { route, limits } = parts;
  const run = await authenticate(client, parts);
  if (run === undefined) return;
  run.hold(client);
  const to = await readDestination(client, run, limits.helloMs);
  if (to === undefined) return;
  const reached = await whileThere(client, (gone) => route(to, run, gone));
  switch (reached.kind) {
    case 'refused':
      return answerAndClose(client, requestAnswer(REPLY.notAllowed));
    case 'failed':
      return answerAndClose(client, requestAnswer(REPLY.failed));
    case 'connected':
      client.write(requestAnswer(REPLY.done));
      return tunnel({ client, server: reached.socket, to }, run, limits.helloMs);
  }
}

/** The older version has neither names nor passwords. */
export function refuseSocks4(client: Socket): void {
  answerAndClose(client, Buffer.from([0, 91, 0, 0, 0, 0, 0, 0]));
}

/** Nothing, and the client is sent away, when it is nobody we know. */
async function authenticate(client: Socket, { runs, limits }: ProxyParts): Promise<Run | undefined> {
  const greeting = await hear(client, parseGreeting, limits.helloMs);
  if (greeting === undefined) return undefined;
  if (!greeting.offersPassword) return sendAway(client, methodAnswer(false));
  client.write(methodAnswer(true));
  const token = await hear(client, parsePassword, limits.helloMs);
  const run = runs.find(token);
  if (run === undefined) return sendAway(client, passwordAnswer(false));
  client.write(passwordAnswer(true));
  return run;
}

async function readDestination(client: Socket, run: Run, helloMs: number): Promise<Destination | undefined> {
  const request = await hear(client, parseRequest, helloMs);
  if (request === undefined) return undefined;
  if (request.command !== CONNECT) return sendAway(client, requestAnswer(REPLY.unknownCommand));
  if (request.host === undefined) return sendAway(client, requestAnswer(REPLY.unknownAddress));
  const to = parseHost(request.host, request.port);
  if (to !== undefined) return to;
  run.refuse(malformed(request.host, request.port));
  return sendAway(client, requestAnswer(REPLY.notAllowed));
}

async function hear<Value>(
  client: Socket,
  parse: (bytes: Buffer) => Parsed<Value>,
  ms: number,
): Promise<Value | undefined> {
  const ahead = await readAhead(client, parse, { bytes: MESSAGE_BYTES, ms });
  if (ahead.kind === 'read') return ahead.value;
  client.destroy();
  return undefined;
}

function sendAway(client: Socket, answer: Buffer): undefined {
  answerAndClose(client, answer);
}
