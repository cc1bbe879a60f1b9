/** What the program is made to do, and the files it does it with. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { ScriptedCall } from '../src/testing/index.js';

export type Scenario = {
  /** What the model asks for when so many calls have been answered; nothing when it is done. */
  readonly callsAfter: (answers: number) => readonly ScriptedCall[];
  readonly prepare?: (workspace: string) => void;
  readonly sandboxed?: boolean;
  /** Whether a program without tools of its own can play it, too. */
  readonly isPlain: boolean;
  /** How long the model takes for its first answer, as real ones do; that is not counted. */
  readonly thinkingMs?: number;
};

const command = (cmd: string): ScriptedCall => ({ name: 'exec_command', arguments: { cmd, yield_time_ms: 30_000 } });
const patch = (file: string, hunks: readonly string[]): ScriptedCall => ({
  custom: 'apply_patch',
  input: ['*** Begin Patch', `*** Update File: ${file}`, ...hunks, '*** End Patch'].join('\n'),
});
const times = (count: number, call: (at: number) => ScriptedCall) => (answers: number) =>
  answers < count ? [call(answers)] : [];
const once = (calls: readonly ScriptedCall[]) => (answers: number) => (answers === 0 ? calls : []);
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

const EDITS = 50;
const LINES = 100_000;
const EVERY = 100;
const lineOf = (at: number): string => `line ${at} of a long file with lines like this one`;
const WORDS = ['needle-a', 'needle-b', 'needle-c', 'needle-d', 'needle-e'];

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  text: { callsAfter: () => [], isPlain: true },
  first: { callsAfter: once([command('true')]), isPlain: true, thinkingMs: 1_000 },
  'first sandboxed': { callsAfter: once([command('true')]), sandboxed: true, isPlain: false, thinkingMs: 1_000 },
  unsandboxed: { callsAfter: times(100, () => command('true')), isPlain: true },
  sandboxed: { callsAfter: times(100, () => command('true')), sandboxed: true, isPlain: false },
  parallel: { callsAfter: once(numbers(8).map(() => command('sleep 0.5'))), isPlain: true },
  patches: {
    callsAfter: times(EDITS, (at) => patch(`f${at}.txt`, ['@@', ' one', '-two', '+2', ' three'])),
    prepare(workspace) {
      for (const at of numbers(EDITS)) writeFileSync(path.join(workspace, `f${at}.txt`), 'one\ntwo\nthree\nfour\n');
    },
    sandboxed: true,
    isPlain: false,
  },
  hunks: {
    callsAfter: once([
      patch(
        'long.txt',
        numbers(LINES / EVERY).flatMap((at) => ['@@', `-${lineOf(at * EVERY)}`, `+${lineOf(at * EVERY)}, changed`]),
      ),
    ]),
    prepare: (workspace) =>
      writeFileSync(path.join(workspace, 'long.txt'), `${numbers(LINES).map(lineOf).join('\n')}\n`),
    sandboxed: true,
    isPlain: false,
  },
  output: {
    callsAfter: once([command('yes "a line of fifty characters, or of about as many" | head -c 200000000')]),
    isPlain: true,
  },
  long: { callsAfter: times(200, (at) => command(`seq ${at} ${at + 2000} | head -c 8192`)), isPlain: true },
  search: {
    callsAfter: times(WORDS.length, (at) => command(`rg -n ${WORDS[at]} .`)),
    prepare: writeTree,
    isPlain: false,
  },
};

/** 20,000 small files. */
function writeTree(workspace: string): void {
  for (const folder of numbers(200)) {
    const place = path.join(workspace, `folder-${folder % 20}`, `part-${folder}`);
    mkdirSync(place, { recursive: true });
    for (const file of numbers(100)) {
      const word = WORDS[(folder * 100 + file) % 1000] ?? 'hay';
      writeFileSync(path.join(place, `file-${file}.ts`), `const value = 1;\n`.repeat(20) + `// ${word}\n`);
    }
  }
}
