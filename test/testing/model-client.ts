/** The plainest client of a model server: what it sent, byte for byte, and how the connection ended. */
import { request } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ClientRequest } from 'node:http';

import type { Wire } from '../../src/core/model.js';
import type { ScriptedModel } from '../../src/testing/index.js';

const PATHS: Readonly<Record<Wire, string>> = { responses: '/responses', chat: '/chat/completions' };

export type Got = {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** `end` as it should be, or the code of what ended it. */
  readonly ending: string;
};

/** Asks and reads to the end, whatever that is. */
export async function ask(model: ScriptedModel, wire: Wire, body: object | string = { stream: true }): Promise<Got> {
  const { response, failure } = await open(model, wire, body);
  if (response === undefined) return { status: undefined, headers: {}, text: '', ending: failure ?? '' };
  const { text, ending } = await read(response);
  return { status: response.statusCode, headers: response.headers, text, ending };
}

export type Opened = {
  readonly sent: ClientRequest;
  readonly response?: IncomingMessage;
  readonly failure?: string;
};

/** Asks and waits for the headers only. */
export function open(model: ScriptedModel, wire: Wire, body: object | string = { stream: true }): Promise<Opened> {
  const sent = send(model, wire, body);
  return new Promise((resolve) => {
    sent.once('response', (response) => resolve({ sent, response }));
    sent.once('error', (error) => resolve({ sent, failure: codeOf(error) }));
  });
}

/** Asks, and waits for nothing. */
export function send(model: ScriptedModel, wire: Wire, body: object | string = { stream: true }): ClientRequest {
  const sent = request(`${model.baseUrl}${PATHS[wire]}`, { method: 'POST' });
  sent.on('error', () => {});
  sent.end(typeof body === 'string' ? body : JSON.stringify(body));
  return sent;
}

async function read(response: IncomingMessage): Promise<{ readonly text: string; readonly ending: string }> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return { text: Buffer.concat(chunks).toString('utf8'), ending: 'end' };
  } catch (error) {
    return { text: Buffer.concat(chunks).toString('utf8'), ending: codeOf(error) };
  }
}

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code);
}

/** The events of a stream: their data, read where it is JSON. */
export function eventsIn(text: string): readonly unknown[] {
  return text
    .split('\n\n')
    .filter((each) => each !== '')
    .map((each) => readData(each.replace(/^event: .*\n/, '').replace(/^data: /, '')));
}

function readData(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}
