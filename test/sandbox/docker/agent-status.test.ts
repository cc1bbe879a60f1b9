import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { createLineReader, readStatus } from '../../../src/sandbox/docker/agent-status.js';
import { propertyRuns } from '../../support/property-runs.js';

describe('a line of the agent', () => {
  test.each([
    ['0 up', { kind: 'up' }],
    ['7 ready 12', { kind: 'ready', slot: 7, leader: 12 }],
    ['7 refused program', { kind: 'refused', slot: 7, reason: 'program' }],
    ['7 exited 0', { kind: 'exited', slot: 7, code: 0 }],
    ['7 exited 255', { kind: 'exited', slot: 7, code: 255 }],
    ['7 killed 9', { kind: 'killed', slot: 7, signal: 9 }],
    ['7 swept', { kind: 'swept', slot: 7 }],
  ])('%s is understood', (line, status) => {
    expect(readStatus(line)).toEqual(status);
  });

  test.each([
    '',
    'up',
    '0',
    '7 up',
    '7 ready',
    '7 ready 0',
    '7 ready 1',
    '7 ready -5',
    '7 ready 1e3',
    '7 ready 12 13',
    '7 exited 256',
    '7 killed 0',
    '7 killed 128',
    '7 swept 1',
    '-7 exited 0',
    '7  exited 0',
    '7 exited x',
    '7 refused',
    '7 refused a b',
    '7 other 1',
    '9999999999 exited 0',
    ' 7 exited 0',
    '7 exited 0 ',
  ])('%j means nothing', (line) => {
    expect(readStatus(line)).toBeUndefined();
  });

  test('of any text is harmless', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (line) => {
        const status = readStatus(line);
        expect(status === undefined || /^\d+ [a-z]+/.test(line)).toBe(true);
      }),
      propertyRuns(100, 30_000),
    );
  });
});

describe('lines', () => {
  const linesOf = (chunks: readonly Uint8Array[]): readonly string[] => {
    const lines: string[] = [];
    const read = createLineReader((line) => lines.push(line));
    for (const chunk of chunks) read(chunk);
    return lines;
  };

  test('are the same however they arrive', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 150 })), fc.array(fc.nat(400)), (texts, cuts) => {
        const lines = texts.map((text) => text.replaceAll('\n', ''));
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1');
        const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).toSorted((a, b) => a - b), bytes.length];
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        expect(linesOf(chunks)).toEqual(lines);
      }),
      propertyRuns(200),
    );
  });

  test('that are too long are dropped whole, and the next one is read', () => {
    const long = Buffer.from('x'.repeat(150));
    expect(linesOf([long, long, long, Buffer.from('tail\n7 swept\n')])).toEqual(['7 swept']);
    expect(linesOf([Buffer.from(`${'x'.repeat(201)}\n7 swept\n`)])).toEqual(['7 swept']);
    expect(linesOf([Buffer.from(`${'x'.repeat(200)}\n`)])).toEqual(['x'.repeat(200)]);
  });
});
