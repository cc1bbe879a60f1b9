import os from 'node:os';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { errorName, runnerOutcome, stepProblem, watchedCalls } from '../../../src/sandbox/runner/outcome.js';
import type { WatchedCall } from '../../../src/sandbox/runner/outcome.js';
import { HEAD_BYTES, createProgram } from '../../../src/sandbox/runner/program.js';
import type { Program } from '../../../src/sandbox/runner/program.js';
import { propertyRuns } from '../../support/property-runs.js';

const PROGRAM = programOf();
/** Where the records begin. */
const END = Math.ceil(PROGRAM.bytes.length / 8) * 8;
const RECORD_BYTES = 96;
const MARK = 'TRN1';

function programOf(): Program {
  const program = createProgram('x64');
  program.call('the first step', 'getpid');
  program.call('the second step', 'getpid');
  return program.build();
}

/** The file as the runner leaves it. */
function told(...words: readonly [state: number, step: number, error: number, status: number]): Buffer {
  const file = Buffer.from(PROGRAM.bytes);
  for (const [index, word] of words.entries()) file.writeUInt32LE(word, 16 + index * 4);
  return file;
}

describe('what became of a program', () => {
  test.each([
    ['nobody told', told(0, 0, 0, 0), { kind: 'untold' }],
    ['a step failed', told(1, 1, 13, 0), { kind: 'stopped', what: 'the second step', errno: 13 }],
    ['it ended', told(2, 0, 0, 256), { kind: 'ended', status: 256 }],
    ['a step failed that it does not have', told(1, 9, 13, 0), { kind: 'stopped', what: '', errno: 13 }],
    ['something unknown was told', told(3, 1, 1, 1), { kind: 'untold' }],
  ])('is read when %s', (_, file, outcome) => {
    expect(runnerOutcome(file, PROGRAM)).toEqual(outcome);
  });

  test('is a problem only when a step failed', () => {
    expect(stepProblem({ kind: 'stopped', what: 'the second step', errno: os.constants.errno.EACCES })).toBe(
      'the second step: EACCES',
    );
    expect(stepProblem({ kind: 'ended', status: 256 })).toBeUndefined();
    expect(stepProblem({ kind: 'untold' })).toBeUndefined();
  });

  test('names errors that are known, and numbers others', () => {
    expect(errorName(os.constants.errno.ENOENT)).toBe('ENOENT');
    expect(errorName(4000)).toBe('error 4000');
  });

  test('is some outcome for whatever a file as long as its head holds', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: HEAD_BYTES, maxLength: 64 }), (bytes) => {
        expect(['untold', 'ended', 'stopped']).toContain(runnerOutcome(Buffer.from(bytes), PROGRAM).kind);
      }),
      propertyRuns(300),
    );
  });
});

type Recorded = { readonly pid: number; readonly entry: number; readonly bytes: Uint8Array; readonly folder: string };

/** As `struct record` in native/runner.c, and padded as it pads. */
function record({ pid, entry, bytes, folder }: Recorded, mark = MARK): Buffer {
  const head = Buffer.alloc(RECORD_BYTES);
  head.writeUInt32LE(pid, 8);
  for (let index = 0; index < 6; index++) head.writeBigUInt64LE(BigInt(index) << 40n, 32 + index * 8);
  head.writeUInt32LE(entry, 80);
  head.writeUInt32LE(bytes.length, 84);
  head.writeUInt32LE(Buffer.byteLength(folder), 88);
  head.write(mark, 92, 'latin1');
  const whole = Buffer.concat([head, bytes, Buffer.from(folder)]);
  return Buffer.concat([whole, Buffer.alloc((8 - (whole.length % 8)) % 8)]);
}

function withRecords(...records: readonly Buffer[]): Buffer {
  return Buffer.concat([PROGRAM.bytes, Buffer.alloc(END - PROGRAM.bytes.length), ...records]);
}

const CONNECTED: Recorded = { pid: 7, entry: 1, bytes: Buffer.from('address'), folder: '' };
const MADE: Recorded = { pid: 8, entry: 20, bytes: Buffer.from('made\0rest'), folder: '/some/folder' };
const WORDS = [0, 1, 2, 3, 4, 5].map((index) => BigInt(index) << 40n);

function seen(recorded: Recorded): WatchedCall {
  return { ...recorded, arguments: WORDS };
}

describe('watched calls', () => {
  test('are none where nothing follows the program', () => {
    expect(watchedCalls(PROGRAM.bytes, PROGRAM)).toEqual([]);
  });

  test('are read one after the other, with bytes, folder and arguments', () => {
    expect(watchedCalls(withRecords(record(CONNECTED), record(MADE)), PROGRAM)).toEqual([CONNECTED, MADE].map(seen));
  });

  test('end at a record that was not finished', () => {
    const half = record(MADE).subarray(0, RECORD_BYTES - 1);
    expect(watchedCalls(withRecords(record(CONNECTED), half), PROGRAM)).toHaveLength(1);
    expect(watchedCalls(withRecords(record(CONNECTED), record(MADE, 'none')), PROGRAM)).toHaveLength(1);
  });

  test('that promise more than there is have what there is', () => {
    const cut = record(MADE).subarray(0, RECORD_BYTES + 4);
    expect(watchedCalls(withRecords(cut), PROGRAM)).toMatchObject([{ bytes: Buffer.from('made'), folder: '' }]);
  });

  test('of any kind are read as they were written', () => {
    const recorded = fc.record({
      pid: fc.nat(),
      entry: fc.nat(255),
      bytes: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      folder: fc.string({ maxLength: 20 }),
    });
    fc.assert(
      fc.property(fc.array(recorded, { maxLength: 5 }), (records) => {
        const file = withRecords(...records.map((each) => record(each)));
        expect(watchedCalls(file, PROGRAM)).toEqual(records.map(seen));
      }),
      propertyRuns(100),
    );
  });

  test('are so many at most as the file has room for, whatever follows the program', () => {
    const noise = fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes));
    // With lengths of any size, also those that lead far behind the end.
    const liar = fc.tuple(fc.nat(0xffff_ffff), fc.nat(0xffff_ffff)).map(([copied, folder]) => {
      const bytes = record(MADE);
      bytes.writeUInt32LE(copied, 84);
      bytes.writeUInt32LE(folder, 88);
      return bytes;
    });
    fc.assert(
      fc.property(fc.array(fc.oneof(noise, liar), { maxLength: 4 }), (parts) => {
        const file = Buffer.concat([PROGRAM.bytes, ...parts]);
        expect(watchedCalls(file, PROGRAM).length).toBeLessThanOrEqual((file.length - END) / RECORD_BYTES);
      }),
      propertyRuns(300),
    );
  });
});
