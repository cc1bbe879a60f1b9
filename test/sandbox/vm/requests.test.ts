import fc from 'fast-check';
import { expect, test } from 'vitest';

import { decodeExit, encodeStart, startProblem } from '../../../src/sandbox/vm/requests.js';
import { propertyRuns } from '../../support/property-runs.js';

test('a request is the folder, the number of arguments, the arguments and the variables', () => {
  const request = encodeStart({ argv: ['ls', 'ü'], cwd: '/w', env: { A: '1=2' } });
  expect(textsIn(request)).toEqual(['/w', '2', 'ls', 'ü', 'A=1=2']);
});

test('every text of a request is found again by its length', () => {
  const texts = fc.string({ unit: 'binary', maxLength: 8 });
  fc.assert(
    fc.property(
      fc.array(texts, { maxLength: 5 }),
      texts,
      fc.dictionary(texts, texts, { maxKeys: 3 }),
      (argv, cwd, env) => {
        const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
        const sent = [cwd, String(argv.length), ...argv, ...variables];
        expect(textsIn(encodeStart({ argv, cwd, env }))).toEqual(sent.map(wellFormed));
      },
    ),
    propertyRuns(25),
  );
});

test.each([
  [{ argv: [], cwd: '/', env: {} }, 'there is no program to start'],
  [{ argv: [''], cwd: '/', env: {} }, 'there is no program to start'],
  [{ argv: ['a\0b'], cwd: '/', env: {} }, 'the command contains a NUL character'],
  [{ argv: ['a'], cwd: '/\0', env: {} }, 'the command contains a NUL character'],
  [{ argv: ['a'], cwd: '/', env: { A: '\0' } }, 'the command contains a NUL character'],
  [{ argv: ['a', ''], cwd: '/', env: { A: '' } }, undefined],
])('%j has the problem: %s', (request, problem) => {
  expect(startProblem(request)).toBe(problem);
});

test.each([
  ['exited', Uint8Array.of(3), { kind: 'exited', code: 3 }],
  ['signalled', Uint8Array.of(15), { kind: 'signalled', signal: 'SIGTERM', number: 15 }],
  ['signalled', Uint8Array.of(40), { kind: 'signalled', signal: 'SIG40', number: 40 }],
  ['not_started', Buffer.from('no such file\n'), { kind: 'not_started', reason: 'no such file' }],
  ['stdout', Buffer.from('x'), undefined],
] as const)('a frame of kind %s holding %o means %o', (kind, payload, exit) => {
  expect(decodeExit({ kind, id: 1, payload })).toEqual(exit);
});

function textsIn(bytes: Uint8Array): readonly string[] {
  const buffer = Buffer.from(bytes);
  const texts: string[] = [];
  for (let at = 0; at < buffer.length;) {
    const end = at + 4 + buffer.readUInt32BE(at);
    texts.push(buffer.subarray(at + 4, end).toString());
    at = end;
  }
  return texts;
}

/** Half of a pair cannot be written as bytes. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}
