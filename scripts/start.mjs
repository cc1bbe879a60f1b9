/**
 * `npm start`: a coding agent at work, within seconds and without a key. What its model says was recorded; what it does
 * is done by real tools, under the real policy and in the real sandbox, in a copy of a small project.
 */
import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { runShown, say } from './shown-commands.mjs';

const EXAMPLES = path.join(import.meta.dirname, '../examples');
const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'tenon-start-')));
const [project, home] = ['project', 'home'].map((name) => path.join(base, name));
const RECORDING = '../night-shift.jsonl';
const replay = ['replay', RECORDING, '-C', '.', '--no-prompt-check'];

try {
  cpSync(path.join(EXAMPLES, 'night-shift'), project, { recursive: true });
  cpSync(path.join(EXAMPLES, 'night-shift.jsonl'), path.join(base, 'night-shift.jsonl'));

  say(`An agent fixes a bug in a small project, a copy of examples/night-shift. What the model says is a recording; the
tools, the policy and the sandbox are real, and what they give is compared with what it was then:`);
  const code = run(replay, ['stderr', 'stdout']);

  say('What it has changed, and the same taken back:');
  run(['undo', '--diff', '--turn']);
  run(['undo', '--turn']);

  say(
    'Any session can be recorded, and is a test for your settings. Under a stricter policy this one goes another way:',
  );
  run([...replay, '-s', 'read-only'], ['stdout']);

  say(`To try next: \`npm run tour\` shows each part by itself, and with a key in OPENAI_API_KEY or a local model:
  npx tenon exec --record mine.jsonl 'explain this project'     # docs/models.md says what else there is
  npx tenon replay mine.jsonl                                   # docs/replay.md`);
  // A difference is nothing broken: some machines cannot confine commands.
  if (code !== 0 && code !== 1) process.exitCode = 1;
} finally {
  rmSync(base, { recursive: true, force: true });
}

function run(args, show) {
  return runShown(args, { cwd: project, home, ...(show && { show }) });
}
