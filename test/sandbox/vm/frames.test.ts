import fc from 'fast-check';
import { expect, test } from 'vitest';

import { FRAME_KINDS, MOST_PAYLOAD_BYTES, createFrameDecoder, encodeFrame } from '../../../src/sandbox/vm/frames.js';
import type { Frame, FrameKind } from '../../../src/sandbox/vm/frames.js';
import { propertyRuns } from '../../support/property-runs.js';

const frames = fc.record({
  kind: fc.constantFrom(...(Object.keys(FRAME_KINDS) as FrameKind[])),
  id: fc.integer({ min: 0, max: 0xffff_ffff }),
  payload: fc.uint8Array({ maxLength: 40 }),
});

test('a frame is its length, its kind, its id and its payload', () => {
  const bytes = encodeFrame({ kind: 'stdout', id: 0x01020304, payload: Buffer.from('hi') });
  expect(Buffer.from(bytes).toString('hex')).toBe('0000000711010203046869');
});

test('frames come out as they went in, however the bytes are cut', () => {
  fc.assert(
    fc.property(fc.array(frames), fc.array(fc.integer({ min: 1, max: 30 })), (sent, sizes) => {
      const decoder = createFrameDecoder();
      const received: Frame[] = [];
      for (const piece of cut(Buffer.concat(sent.map(encodeFrame)), sizes)) received.push(...decoder.push(piece));
      expect(received).toEqual(sent);
    }),
    propertyRuns(200),
  );
});

test('any bytes at all are frames or an error, never anything else', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 60 })), (chunks) => {
      const decoder = createFrameDecoder();
      try {
        for (const chunk of chunks)
          for (const frame of decoder.push(chunk)) expect(FRAME_KINDS).toHaveProperty(frame.kind);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }),
    propertyRuns(300),
  );
});

test.each([
  ['too long', frameHead(MOST_PAYLOAD_BYTES + 6, 17)],
  ['too short for a kind and an id', frameHead(4, 17)],
  ['of a kind that does not exist', Buffer.concat([frameHead(5, 99), Buffer.alloc(4)])],
])('a frame that is %s is an error, and so is everything after it', (_, bytes) => {
  const decoder = createFrameDecoder();
  expect(() => decoder.push(bytes)).toThrow(RangeError);
  expect(() => decoder.push(encodeFrame({ kind: 'ready', id: 0, payload: Buffer.alloc(0) }))).toThrow(RangeError);
});

test('the longest payload fits, and one byte more does not', () => {
  const longest = encodeFrame({ kind: 'start', id: 1, payload: Buffer.alloc(MOST_PAYLOAD_BYTES) });
  expect(createFrameDecoder().push(longest)[0]?.payload).toHaveLength(MOST_PAYLOAD_BYTES);
  const payload = Buffer.alloc(MOST_PAYLOAD_BYTES + 1);
  expect(() => encodeFrame({ kind: 'start', id: 1, payload })).toThrow(RangeError);
});

test('a payload is the listener’s to keep', () => {
  const bytes = encodeFrame({ kind: 'stdout', id: 1, payload: Buffer.from('kept') });
  const [frame] = createFrameDecoder().push(bytes);
  bytes.fill(0);
  expect(Buffer.from(frame?.payload ?? []).toString()).toBe('kept');
});

function frameHead(length: number, kind: number): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt32BE(length, 0);
  bytes.writeUInt8(kind, 4);
  return bytes;
}

function cut(bytes: Buffer, sizes: readonly number[]): readonly Buffer[] {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const size of sizes) {
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return [...pieces, bytes.subarray(at)];
}
