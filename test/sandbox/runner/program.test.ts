import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { SYSTEM_CALLS, findSystemCall, systemCall } from '../../../src/sandbox/linux/system-calls.js';
import type { Architecture, SystemCall } from '../../../src/sandbox/linux/system-calls.js';
import { HEAD_BYTES, MAGIC, createProgram } from '../../../src/sandbox/runner/program.js';
import type { Argument, ProgramBuilder, Result } from '../../../src/sandbox/runner/program.js';
import { decodeProgram, textAt, textsAt } from '../../support/decode-program.js';
import type { DecodedArgument } from '../../support/decode-program.js';
import { propertyRuns } from '../../support/property-runs.js';

describe('the layout of a program', () => {
  test('is a head, steps of 64 bytes, relocations and data, byte by byte', () => {
    const program = createProgram('x64');
    const name = program.text('a');
    const list = program.pointers([name]);
    const opened = program.open('opening it', 'openat', [-100, name, 0]);
    program.call('reading it', 'read', [opened, list, 2n ** 64n - 1n], { mayFail: true, store: name });
    const { bytes } = program.build();

    const rows = [
      // Its mark, two steps, one relocation, its length; then four words that only the runner writes.
      '54524e31 02000000 01000000 c8000000',
      '00000000 00000000 00000000 00000000',
      // Number 257, the second argument is an address, nothing stored, kept as the first.
      '01010000 02000000 00000000 01000000',
      '9cffffffffffffff 0800000000000000',
      '0000000000000000 0000000000000000',
      '0000000000000000 0000000000000000',
      // Number 0, may fail, is stored, the first argument is a result, the second one an address.
      '00000000 42300000 08000000 00000000',
      '0100000000000000 1000000000000000',
      'ffffffffffffffff 0000000000000000',
      '0000000000000000 0000000000000000',
      // The one pointer, and what makes the data begin at a multiple of eight.
      '10000000 00000000',
      // Nothing, then the text, the pointer to it, and the null behind.
      '0000000000000000 6100000000000000',
      '0800000000000000 0000000000000000',
    ];
    expect(bytes.toString('hex').match(/.{32}/g)).toEqual(rows.join('').replaceAll(' ', '').match(/.{32}/g));
    expect(bytes).toHaveLength(HEAD_BYTES + 2 * 64 + 8 + 4 * 8);
    expect(bytes.readUInt32LE(0)).toBe(MAGIC);
  });

  test('without anything in it is a head and an empty word', () => {
    expect(decodeProgram(createProgram('x64').build().bytes)).toEqual({
      steps: [],
      relocations: [],
      data: Buffer.alloc(8),
    });
  });

  test('numbers a call as its architecture does, and refuses one that it does not have', () => {
    const numbers = (['x64', 'arm64'] as const).map((architecture) => {
      const program = createProgram(architecture);
      program.call('making a folder', 'mkdirat');
      return decodeProgram(program.build().bytes).steps[0]?.number;
    });
    expect(numbers).toEqual([258, 34]);
    const program = createProgram('arm64');
    program.call('making a folder', 'mkdir');
    expect(() => program.build()).toThrow(new RangeError('arm64 has no system call mkdir'));
  });

  test('a fork tells what to watch, who tells, what to close, and whether all is ended, as plain numbers', () => {
    const program = createProgram('arm64');
    const watch = program.bytes(new Uint8Array(3));
    program.fork('starting', {});
    program.fork('starting', { watch, tells: true, closeFrom: 4 });
    program.fork('starting', { endsAll: true });
    const steps = decodeProgram(program.build().bytes).steps.map(({ number, arguments: args }) => ({
      number,
      arguments: args.slice(0, 4),
    }));
    expect(steps).toEqual([
      { number: 0xf0000001, arguments: [0, 0, 0, 0].map(plain) },
      { number: 0xf0000001, arguments: [watch.offset, 1, 4, 0].map(plain) },
      { number: 0xf0000001, arguments: [0, 0, 0, 1].map(plain) },
    ]);
  });
});

describe('what a program keeps', () => {
  test('runs out when more than 1,023 results are open at once', () => {
    const program = createProgram('x64');
    for (let count = 0; count < 1023; count++) program.open('opening', 'openat', []);
    expect(() => program.open('opening one more', 'openat', [])).toThrow(
      new RangeError('too much is open at once when opening one more'),
    );
  });

  test('never runs out when each is closed, and the closing may fail', () => {
    const program = createProgram('x64');
    for (let count = 0; count < 4000; count++) program.close(program.open('opening', 'openat', []));
    const [opening, closing] = decodeProgram(program.build().bytes).steps.slice(-2);
    expect(opening).toMatchObject({ into: 1, mayFail: false });
    expect(closing).toMatchObject({ number: 3, into: 0, mayFail: true });
    expect(closing?.arguments[0]).toEqual({ kind: 'result', register: 1 });
  });

  test('has a register of its own for each that is open', () => {
    const program = createProgram('x64');
    const registers = Array.from({ length: 255 }, () => program.open('opening', 'openat', []).register);
    expect(new Set(registers)).toHaveLength(255);
    // The first one takes what nobody keeps.
    expect(registers).not.toContain(0);
  });
});

describe('the data of a program', () => {
  test.each(['\0', 'a\0', 'a\0b'])('refuses a text with a NUL in it: %j', (text) => {
    expect(() => createProgram('x64').text(text)).toThrow(
      new RangeError(`there is a NUL character in ${JSON.stringify(text)}`),
    );
  });

  test('holds the same text once, and never at the beginning', () => {
    const program = createProgram('x64');
    expect(program.text('same')).toEqual(program.text('same'));
    expect(program.text('same')).not.toEqual(program.text('other'));
    expect(createProgram('x64').text('').offset).toBeGreaterThan(0);
  });

  test('holds the same bytes as often as they are given, since the runner may write to each', () => {
    const program = createProgram('x64');
    expect(program.bytes(Buffer.from('same'))).not.toEqual(program.bytes(Buffer.from('same')));
  });

  test('of a structure has offsets where the runner puts addresses', () => {
    const program = createProgram('x64');
    const to = program.text('there');
    const structure = program.structure(Buffer.alloc(24, 0xff), [{ at: 8, to }]);
    const { data, relocations } = decodeProgram(program.build().bytes);
    expect(relocations).toEqual([structure.offset + 8]);
    expect(data.subarray(structure.offset)).toEqual(
      Buffer.concat([Buffer.alloc(8, 0xff), Buffer.from([to.offset, 0, 0, 0, 0, 0, 0, 0]), Buffer.alloc(8, 0xff)]),
    );
  });
});

describe('any program', () => {
  test('is read by the runner as it was meant', () => {
    fc.assert(
      fc.property(fc.constantFrom('x64', 'arm64'), fc.array(plannedStep, { maxLength: 40 }), (architecture, plan) => {
        const program = createProgram(architecture);
        const meant = plan.map((step) => addStep(program, step));
        const { bytes, steps: told } = program.build();
        const { steps, data, relocations } = decodeProgram(bytes);

        expect(steps).toEqual(meant.map(({ step }) => step));
        expect(told.map(({ what }) => what)).toEqual(plan.map(({ what }) => what));
        for (const { text } of meant) expect(textAt(data, text.offset)).toBe(text.text);
        for (const { texts } of meant) expect(textsAt(data, texts.offset)).toEqual(texts.texts);
        expect(relocations).toHaveLength(plan.reduce((sum, { texts }) => sum + texts.length, 0));
        expect(relocations.every((at) => at % 8 === 0 && data.readBigUInt64LE(at) > 0n)).toBe(true);
      }),
      propertyRuns(100),
    );
  });

  test('has the same bytes each time it is put together', () => {
    fc.assert(
      fc.property(fc.array(plannedStep, { maxLength: 10 }), (plan) => {
        const [one, other] = [1, 2].map(() => {
          const program = createProgram('x64');
          for (const step of plan) addStep(program, step);
          return program.build().bytes;
        });
        expect(one).toEqual(other);
      }),
      propertyRuns(30),
    );
  });
});

type Planned = {
  readonly what: string;
  readonly call: SystemCall;
  readonly words: readonly (number | bigint | 'text' | 'result')[];
  readonly text: string;
  readonly texts: readonly string[];
  readonly mayFail: boolean;
  readonly store: boolean;
  readonly keep: boolean;
};

const everywhere = (Object.keys(SYSTEM_CALLS) as SystemCall[]).filter(
  (call) => findSystemCall(call, 'x64') !== undefined && findSystemCall(call, 'arm64') !== undefined,
);

const someText = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((text) => !text.includes('\0'));

const plannedStep: fc.Arbitrary<Planned> = fc.record({
  what: someText,
  call: fc.constantFrom(...everywhere),
  words: fc.array(
    fc.oneof(fc.maxSafeInteger(), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.constantFrom('text', 'result')),
    { maxLength: 6 },
  ),
  text: someText,
  texts: fc.array(someText, { maxLength: 3 }),
  mayFail: fc.boolean(),
  store: fc.boolean(),
  keep: fc.boolean(),
});

/** Adds it, and tells what the runner should find. */
function addStep(program: ProgramBuilder, { what, call, words, text, texts, mayFail, store, keep }: Planned) {
  const place = program.text(text);
  const list = program.pointers(texts.map((each) => program.text(each)));
  const known: Result = { kind: 'result', register: 7 };
  const args = words.map((word): Argument => (word === 'text' ? place : word === 'result' ? known : word));
  const options = { ...(mayFail && { mayFail }), ...(store && { store: list }) };
  const kept = keep ? program.open(what, call, args, options) : undefined;
  if (!keep) program.call(what, call, args, options);
  const architecture: Architecture = program.architecture;
  return {
    text: { offset: place.offset, text },
    texts: { offset: list.offset, texts },
    step: {
      number: systemCall(call, architecture),
      arguments: Array.from({ length: 6 }, (_, index) => decoded(args[index] ?? 0)),
      mayFail,
      ...(store && { store: list.offset }),
      into: kept?.register ?? 0,
    },
  };
}

function decoded(argument: Argument): DecodedArgument {
  return typeof argument === 'object' ? argument : plain(argument);
}

function plain(value: number | bigint): DecodedArgument {
  return { kind: 'number', value: BigInt.asUintN(64, BigInt(value)) };
}
