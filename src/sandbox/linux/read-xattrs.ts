/** Reads extended attributes, for which Node has no call, by a program of system calls. */
import { createProgram } from '../runner/program.js';
import { errorName } from '../runner/outcome.js';
import { runProgram } from '../runner/run-program.js';
import type { Runner } from '../runner/runner.js';
import type { ReadXattrs, XattrQuestion } from '../staging/overlay-marks.js';
import type { Architecture } from './system-calls.js';

const VALUE_BYTES = 256;
/** An answer: how long the value is or which error there was, and the value. */
const ANSWER_BYTES = 8 + VALUE_BYTES;
const AT_ONCE = 200;

const NO_SUCH_ATTRIBUTE = new Set(['ENODATA', 'EOPNOTSUPP', 'ENOTSUP']);

export function xattrReader(runner: Runner, architecture: Architecture): ReadXattrs {
  return async (questions) => {
    const values: (string | undefined)[] = [];
    for (let at = 0; at < questions.length; at += AT_ONCE)
      values.push(...(await ask(questions.slice(at, at + AT_ONCE), runner, architecture)));
    return values;
  };
}

async function ask(
  questions: readonly XattrQuestion[],
  runner: Runner,
  architecture: Architecture,
): Promise<readonly (string | undefined)[]> {
  const program = createProgram(architecture);
  const answers = program.bytes(new Uint8Array(questions.length * ANSWER_BYTES));
  const place = (offset: number) => ({ kind: 'address', offset: answers.offset + offset }) as const;
  for (const [index, { path, name }] of questions.entries()) {
    const at = index * ANSWER_BYTES;
    const args = [program.text(path), program.text(name), place(at + 8), VALUE_BYTES];
    program.call('reading an attribute', 'lgetxattr', args, { mayFail: true, store: place(at) });
  }
  program.call('telling it', 'write', [1, answers, questions.length * ANSWER_BYTES]);
  const { output, problem } = await runProgram(program.build(), runner);
  if (output.length !== questions.length * ANSWER_BYTES) {
    throw new Error(`attributes cannot be read: ${problem ?? 'the answer is incomplete'}`);
  }
  return questions.map(({ path }, index) => valueIn(output, index * ANSWER_BYTES, path));
}

function valueIn(output: Buffer, at: number, path: string): string | undefined {
  const result = output.readInt32LE(at);
  if (result >= 0) return output.toString('utf8', at + 8, at + 8 + result);
  const error = errorName(-result);
  if (NO_SUCH_ATTRIBUTE.has(error)) return undefined;
  throw new Error(`the attributes of ${path} cannot be read: ${error}`);
}
