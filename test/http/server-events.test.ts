import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { ServerEvent } from '../../src/core/server-event.js';
import { serverEvents } from '../../src/http/server-events.js';
import { propertyRuns } from '../support/property-runs.js';

describe('events of a stream', () => {
  test('names, several lines of data, comments and fields nobody knows', async () => {
    const stream = [
      ': good morning',
      'event: first',
      'data: {"a":1}',
      '',
      'data:one',
      'data: two',
      'id: 7',
      'colour: red',
      'retry: soon',
      '',
      'event: nothing said',
      '',
      'data',
      '',
      'data: [DONE]',
      '',
      '',
    ].join('\n');
    expect(await events([Buffer.from(stream)])).toEqual([
      { name: 'first', data: '{"a":1}' },
      { data: 'one\ntwo' },
      { data: '' },
      { data: '[DONE]' },
    ]);
  });

  test('a last event without its empty line counts', async () => {
    expect(await events([Buffer.from('data: a\n\ndata: [DONE]')])).toEqual([{ data: 'a' }, { data: '[DONE]' }]);
  });

  test('a mark of the byte order is no part of the first event', async () => {
    expect(await events([Buffer.from('\uFEFFdata: a\n\n')])).toEqual([{ data: 'a' }]);
  });

  test('however the bytes are cut, and whatever ends the lines, the events are the same', async () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replace(/[\r\n\uFEFF]/g, ''));
    const event = fc.record({
      name: fc.option(
        line.filter((name) => name !== ''),
        { nil: undefined },
      ),
      lines: fc.array(line, { minLength: 1, maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { maxLength: 5 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.array(fc.nat(400), { maxLength: 20 }),
        async (said, end, cuts) => {
          const text = said.map(({ name, lines }) =>
            [...(name === undefined ? [] : [`event: ${name}`]), ...lines.map((each) => `data: ${each}`), '', ''].join(
              end,
            ),
          );
          const expected = said.map(({ name, lines }) => ({
            ...(name !== undefined && { name }),
            data: lines.join('\n'),
          }));
          expect(await events(cut(Buffer.from(text.join('')), cuts))).toEqual(expected);
        },
      ),
      propertyRuns(200),
    );
  });

  test('bytes that are no such stream give no event and no error', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.array(fc.nat(200)), async (bytes, cuts) => {
        for (const { data } of await events(cut(Buffer.from(bytes), cuts))) expect(typeof data).toBe('string');
      }),
      propertyRuns(200),
    );
  });

  test.each([
    ['a line', ['data: ', 'x'.repeat(60), 'x'.repeat(60)]],
    ['an event', ['data: short\n', ...Array.from({ length: 20 }, () => 'data: another\n')]],
  ])('%s without end is given up', async (_, pieces) => {
    await expect(
      events(
        pieces.map((piece) => Buffer.from(piece)),
        100,
      ),
    ).rejects.toMatchObject({
      kind: 'garbled',
      message: 'the server sent an event of more than 100 characters',
    });
  });
});

async function events(chunks: readonly Uint8Array[], longest?: number): Promise<readonly ServerEvent[]> {
  const seen: ServerEvent[] = [];
  for await (const event of serverEvents(asStream(chunks), longest)) seen.push(event);
  return seen;
}

async function* asStream(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

function cut(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const sorted = [0, ...places.filter((place) => place < bytes.length).toSorted((a, b) => a - b), bytes.length];
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}
