/**
 * Makes `examples/night-shift.jsonl` anew: a real session in a copy of `examples/night-shift`, whose model is a script.
 * What belongs to this machine and this day is taken out of it, so that it is the same wherever it is made.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { startScriptedModel } from '../dist/testing.js';

const ROOT = path.join(import.meta.dirname, '..');
const SAMPLE = path.join(ROOT, 'examples/night-shift');
const PROMPT = 'Work that ends after midnight comes out negative. Find out why, and fix it.';

const FIX = `*** Begin Patch
*** Update File: src/totals.js
@@ export function minutesOf({ from, to }) {
-  return to - from;
+  const minutes = to - from;
+  return minutes < 0 ? minutes + DAY : minutes;
 }
+
+const DAY = 24 * 60;
*** End Patch`;

const TEST = 'node --test-reporter=./test/report.js test/totals.test.js';

const SCRIPT = [
  { text: 'I look around first.', calls: [call('list_dir', { dir_path: '.', depth: 2 }), read('package.json')] },
  { text: 'Where are minutes counted?', calls: [call('grep_files', { pattern: 'minutes' }), read('src/totals.js')] },
  { text: 'I run the tests before I change anything.', calls: [run(TEST)] },
  {
    text: 'An end after midnight is a smaller number than the beginning: a day has to be added.',
    calls: [call('apply_patch', { input: FIX })],
  },
  { text: 'Now the tests again, and the week itself.', calls: [run(TEST), run('node src/cli.js week.txt')] },
  {
    text:
      '`minutesOf` in `src/totals.js` took the beginning from the end, which is negative once midnight lies between ' +
      'them. It now adds a day there. All four tests pass, and the night of `week.txt` counts 3h 30m.',
  },
];

/** In the place of what this machine has. */
const PLAIN = {
  shell: 'bash',
  operatingSystem: 'Linux',
  operating_system: 'Linux',
  currentDate: '2026-01-01',
  current_date: '2026-01-01',
  timezone: 'UTC',
};

const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'tenon-record-')));
const [project, home, file] = ['project', 'home', 'session.jsonl'].map((name) => path.join(base, name));
const model = await startScriptedModel(SCRIPT);
try {
  cpSync(SAMPLE, project, { recursive: true });
  await recordSession();
  writeFileSync(path.join(ROOT, 'examples/night-shift.jsonl'), neutral(readFileSync(file, 'utf8')));
} finally {
  await model.close();
  rmSync(base, { recursive: true, force: true });
}

function call(name, args) {
  return { name, arguments: args };
}

function read(name) {
  return call('read_file', { path: name });
}

function run(cmd) {
  return call('exec_command', { cmd, login: false });
}

async function recordSession() {
  const server = `model_providers.script.base_url="${model.baseUrl}"`;
  const args = [
    'exec',
    PROMPT,
    '--record',
    file,
    '--ephemeral',
    '-m',
    'script',
    '-c',
    'model_provider=script',
    '-c',
    server,
  ];
  const child = spawn(process.execPath, [path.join(ROOT, 'dist/tenon.cjs'), ...args], {
    cwd: project,
    env: { ...process.env, TENON_HOME: home },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`the session ended with exit code ${code}`);
}

/** Without what belongs to this machine and this day. */
function neutral(text) {
  const [{ id }] = text.split('\n', 1).map((line) => JSON.parse(line));
  const names = [
    [project, '/project'],
    [model.baseUrl, 'http://127.0.0.1/v1'],
    [id, 'night-shift'],
  ];
  const renamed = names.reduce((before, [name, other]) => before.replaceAll(name, other), text);
  return renamed
    .replace(/"at":"[^"]+"/g, '"at":"2026-01-01T00:00:00.000Z"')
    .replace(/Chunk ID: \w{6}/g, 'Chunk ID: 000000')
    .replace(/Wall time: [\d.]+ seconds/g, 'Wall time: 0.1 seconds')
    .replace(/("(shell|operatingSystem|currentDate|timezone)":)"[^"]*"/g, (_, key, name) => `${key}"${PLAIN[name]}"`)
    .replace(/<(shell|operating_system|current_date|timezone)>[^<]*/g, (_, name) => `<${name}>${PLAIN[name]}`);
}
