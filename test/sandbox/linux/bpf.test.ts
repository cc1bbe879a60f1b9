import { expect, test } from 'vitest';

import { and, answer, encodeProgram, ifAnyBit, ifEqual, ifGreater, load } from '../../../src/sandbox/linux/bpf.js';
import { disassemble, loadFilter } from '../../support/bpf-machine.js';

test('instructions are laid out as the kernel reads them', () => {
  const bytes = encodeProgram([load(4), ifEqual({ value: 0xc000003e, hit: 1, miss: 255 }), answer(0x7fff0000)]);
  expect(Buffer.from(bytes).toString('hex')).toBe('2000000004000000150001ff3e0000c0060000000000ff7f');
});

test('each instruction does what its name says', () => {
  const run = loadFilter(
    encodeProgram([
      load(16),
      and(0xff),
      ifGreater({ value: 0x80, hit: 0, miss: 1 }),
      answer(1),
      ifAnyBit({ value: 0x41, hit: 0, miss: 1 }),
      answer(2),
      load(20),
      ifEqual({ value: 7, hit: 0, miss: 1 }),
      answer(3),
      answer(4),
    ]),
  );
  const answerTo = (argument: bigint) => run({ number: 0, architecture: 0, arguments: [argument] });
  expect([0x181n, 0x80n, 0x40n, 0x1n, 0x7_00000100n, 0x8_00000000n].map(answerTo)).toEqual([1, 4, 2, 2, 3, 4]);
});

test('a jump that does not fit into its byte is refused, and so is a program that is too long', () => {
  const jump = (hit: number, miss: number) => () => encodeProgram([ifEqual({ value: 0, hit, miss })]);
  expect(jump(256, 0)).toThrow(RangeError);
  expect(jump(0, 256)).toThrow(RangeError);
  expect(() => encodeProgram(Array.from({ length: 4097 }, () => answer(0)))).toThrow(RangeError);
  expect(encodeProgram(Array.from({ length: 4096 }, () => answer(0)))).toHaveLength(4096 * 8);
});

test('the machine of these tests takes no program that the kernel would refuse', () => {
  const loading = (...lines: Parameters<typeof encodeProgram>[0]) => {
    return () => loadFilter(encodeProgram(lines));
  };
  expect(loading()).toThrow('0 instructions');
  expect(loading(load(0))).toThrow('jumps over the end');
  expect(loading(load(64), answer(0))).toThrow('loads from 64');
  expect(loading(load(2), answer(0))).toThrow('loads from 2');
  expect(loading(ifEqual({ value: 0, hit: 1, miss: 0 }), answer(0))).toThrow('jumps over the end');
  expect(loading({ code: 0x07, hit: 0, miss: 0, value: 0 }, answer(0))).toThrow('no code 7');
  expect(loading(answer(0), load(0), answer(1))).not.toThrow();
});

test('a program can be read', () => {
  const program = encodeProgram([load(28), and(15), ifEqual({ value: 3, hit: 1, miss: 0 }), answer(0), answer(1)]);
  expect(disassemble(program)).toBe(
    ['0: load argument 1 high', '1: and 0xf', '2: equal 0x3 ? 4 : 3', '3: return 0x0', '4: return 0x1'].join('\n'),
  );
});
