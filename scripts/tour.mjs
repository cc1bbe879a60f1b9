/**
 * `npm start`: a short tour. Every line that begins with `$` is a real command, run as a user would run it, in a
 * small workspace that is thrown away afterwards.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const PROGRAM = path.join(import.meta.dirname, '../dist/tenon.cjs');
const folder = mkdtempSync(path.join(tmpdir(), 'tenon-tour-'));
const home = mkdtempSync(path.join(tmpdir(), 'tenon-tour-home-'));
const full = ['-s', 'danger-full-access'];

writeFileSync(path.join(folder, 'sum.js'), 'export function sum(a, b) {\n  return a - b;\n}\n');

try {
  say('What a model is told:');
  run('tools');

  say('A model reads a file. This is exactly what it gets back:');
  run('call', 'read_file', '{"path": "sum.js"}');

  say('It runs a command. Without a sandbox nothing runs unless somebody says so:');
  run('call', 'exec_command', '{"cmd": "node --version"}');

  say('With full access it runs:');
  run('call', 'exec_command', '{"cmd": "node --version", "login": false}', ...full);

  say('A program that asks a question is given a terminal, and the model hears that it waits:');
  run('call', 'exec_command', '{"cmd": "printf \\"Your name? \\"; read name", "tty": true, "login": false}', ...full);

  say('An output that is too long keeps both ends, and the whole in a file:');
  run('call', 'exec_command', '{"cmd": "seq 1 100000", "login": false, "max_output_tokens": 20}', ...full);

  say('A call that makes no sense is explained, never thrown:');
  run('call', 'read_file', '{"file": "sum.js"}');

  say('And every step can be listened to:');
  run('call', 'update_plan', '{"plan": [{"step": "Fix sum", "status": "in_progress"}]}', '--json');
} finally {
  rmSync(folder, { recursive: true, force: true });
  rmSync(home, { recursive: true, force: true });
}

function say(text) {
  process.stdout.write(`\n${text}\n`);
}

function run(...args) {
  process.stdout.write(`$ tenon ${args.map(quote).join(' ')}\n`);
  const { stdout, stderr, status } = spawnSync(process.execPath, [PROGRAM, ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, TENON_HOME: home },
  });
  process.stdout.write(
    `${(stdout.replace(/[^\n]$/, '$&\n') + stderr).trimEnd().replace(/^/gm, '  ')}\n  (exit code ${status})\n`,
  );
}

function quote(word) {
  return /^[\w./=-]+$/.test(word) ? word : `'${word}'`;
}
