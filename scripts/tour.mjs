/**
 * `npm start`: a short tour. Every line that begins with `$` is a real command, run as a user would run it, in a
 * small workspace that is thrown away afterwards.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

  say('Rules say what may run, however it is spelled:');
  writeRules();
  run('policy', 'explain', '--', "git add -A && bash -c 'sudo git -C . push'");
  run('call', 'exec_command', '{"cmd": "git add -A && git push"}', ...full);

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

function writeRules() {
  mkdirSync(path.join(home, 'rules'));
  const file = path.join(home, 'rules', 'git.toml');
  const justification = 'open a pull request instead';
  const rule = { pattern: ['git', 'push'], decision: 'forbidden', justification, match: ['git push origin main'] };
  const lines = Object.entries(rule).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
  writeFileSync(file, `[[command]]\n${lines.join('')}`);
  process.stdout.write(`  ${path.join('~/.tenon/rules', path.basename(file))}:\n`);
  process.stdout.write(`    [[command]]\n${lines.map((line) => `    ${line}`).join('')}`);
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
  return /^[\w./=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
