/** The events of a `text/event-stream`, whatever way its bytes were cut. */
import { createParser } from 'eventsource-parser';

import type { ServerEvent } from '../core/server-event.js';
import { HttpError } from './http-error.js';

/** Characters of one event. What is longer was never meant for us. */
const LONGEST_EVENT = 64 * 1024 * 1024;

/** A last event that lacks its empty line counts: not every server takes that much care. */
export async function* serverEvents(
  chunks: AsyncIterable<Uint8Array>,
  longest: number = LONGEST_EVENT,
): AsyncGenerator<ServerEvent, void, void> {
  const decoder = new TextDecoder();
  const events: ServerEvent[] = [];
  let isTooLong = false;
  const parser = createParser({
    maxBufferSize: longest,
    onEvent: ({ event, data }) => void events.push(event === undefined ? { data } : { name: event, data }),
    onError: ({ type }) => {
      isTooLong ||= type === 'max-buffer-size-exceeded';
    },
  });
  const feed = (text: string): readonly ServerEvent[] => {
    parser.feed(text);
    if (isTooLong) throw new HttpError('garbled', `the server sent an event of more than ${longest} characters`);
    return events.splice(0);
  };
  for await (const chunk of chunks) yield* feed(decoder.decode(chunk, { stream: true }));
  yield* feed(`${decoder.decode()}\n\n`);
}
