import { expect, test } from 'vitest';

import type { ArtifactStore } from '../../src/core/artifacts.js';
import type { OutputStream } from '../../src/core/output.js';
import { createCapture } from '../../src/pipeline/capture.js';
import type { CaptureOptions } from '../../src/pipeline/capture.js';
import type { Delta } from '../../src/pipeline/deltas.js';

/** A capture, what its watchers hear, and what is on its disk. */
function watchedCapture(ansi: CaptureOptions['ansi'] = 'strip') {
  const disk: Buffer[] = [];
  const heard: Delta[] = [];
  const artifacts: ArtifactStore = {
    create: () => ({ path: '/kept', write: (chunk) => void disk.push(Buffer.from(chunk)), close() {} }),
    open: () => undefined,
  };
  const capture = createCapture({ label: 'c', artifacts, ansi, onDelta: (delta) => void heard.push(delta) });
  return {
    capture,
    heard,
    print: (text: string | Buffer, stream: OutputStream = 'stdout') => capture.write(Buffer.from(text), stream),
    onDisk: () => Buffer.concat(disk).toString(),
  };
}

test('escape sequences are taken out of what is kept and counted, and people see them', () => {
  const { capture, heard, print, onDisk } = watchedCapture();
  print('\x1b[31mred\x1b[0m');
  const captured = capture.settle();
  const kept = captured.keepWhole();
  expect({ head: captured.head.toString(), bytes: capture.bytes, kept, disk: onDisk(), heard }).toEqual({
    head: 'red',
    bytes: 3,
    kept: { kind: 'kept', path: '/kept', bytes: 3, complete: true },
    disk: 'red',
    heard: [{ stream: 'stdout', text: '\x1b[31mred\x1b[0m' }],
  });
});

test('escape sequences stay where they are wanted', () => {
  const { capture, print } = watchedCapture('keep');
  print('\x1b[31mred\x1b[0m\x1b[');
  expect(capture.settle().head.toString()).toBe('\x1b[31mred\x1b[0m\x1b[');
});

test('characters and escape sequences that are cut in two find together past what the other stream prints', () => {
  const { capture, heard, print } = watchedCapture();
  const smile = Buffer.from('😀');
  print(smile.subarray(0, 2));
  print('\x1b[3', 'stderr');
  print(smile.subarray(2));
  print('1merror', 'stderr');
  expect(capture.settle().head.toString()).toBe('😀error');
  expect(heard).toEqual([
    { stream: 'stderr', text: '\x1b[3' },
    { stream: 'stdout', text: '😀' },
    { stream: 'stderr', text: '1merror' },
  ]);
});

test('characters without their rest are replaced when the capture ends, and that is heard before it has ended', () => {
  const { capture, heard, print } = watchedCapture();
  const half = Buffer.from('é').subarray(0, 1);
  print(Buffer.concat([Buffer.from('b'), half]), 'stderr');
  print(Buffer.concat([Buffer.from('a'), half]));
  expect(capture.settle().head.toString()).toBe('ba\ufffd\ufffd');
  print('late');
  expect(heard).toEqual([
    { stream: 'stderr', text: 'b' },
    { stream: 'stdout', text: 'a\ufffd' },
    { stream: 'stderr', text: '\ufffd' },
  ]);
});

test('an escape sequence without its end goes when the capture ends, and the line end in it stays', () => {
  const { capture, print } = watchedCapture();
  print('a\x1b[31\n');
  expect(capture.settle().head.toString()).toBe('a\n');
});

test('output larger than memory is on disk as it is kept, not as it came', () => {
  const { capture, print, onDisk } = watchedCapture();
  const line = 'x'.repeat(99);
  for (let count = 0; count < 20_000; count += 1) print(`\x1b[1m${line}\x1b[0m\n`);
  const { head, dropped, tail } = capture.settle();
  expect(head.length + dropped + tail.length).toBe(2_000_000);
  expect(onDisk()).toBe(`${line}\n`.repeat(20_000));
});

test('what is printed because of a delta that ends the capture goes nowhere', () => {
  const heard: string[] = [];
  const artifacts: ArtifactStore = { create: () => expect.unreachable(), open: () => undefined };
  const capture = createCapture({
    label: 'c',
    artifacts,
    ansi: 'strip',
    onDelta({ text }) {
      heard.push(text);
      if (text === 'b') capture.write(Buffer.from('c'), 'stdout');
    },
  });
  capture.write(Buffer.from('a'), 'stdout');
  capture.write(Buffer.from('b'), 'stdout');
  expect(capture.settle().head.toString()).toBe('ab');
  expect(heard).toEqual(['a', 'b']);
});
