/**
 * `npm run tour`: each part by itself. Every line that begins with `$` is a real command, run as a user would run it, in a
 * small workspace that is thrown away afterwards.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { runShown, say } from './shown-commands.mjs';

const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'tenon-tour-')));
const [folder, home] = ['project', 'home'].map((name) => path.join(base, name));

/** A program that is no help: it does not say what went wrong. */
const WEATHER = `fetch('https://weather.example/turin').catch(() => {
  console.log('No weather today.');
  process.exitCode = 1;
});
`;

const FIX = `*** Begin Patch
*** Update File: sum.js
@@ export function sum(a, b) {
-  return a - b;
+  return a + b;
*** End Patch`;

const TEST = `import { strictEqual } from 'node:assert';
import { test } from 'node:test';
import { sum } from './sum.js';

test('two and three', () => strictEqual(sum(2, 3), 5));
`;

writeWorkspace();
const model = spawn(process.execPath, [path.join(import.meta.dirname, 'tour-model.mjs')], {
  stdio: ['pipe', 'pipe', 'inherit'],
});

try {
  const [address] = await once(model.stdout, 'data');

  say(`An agent at work. Its model is a script; its server, tools and sandbox are real, and so is the connection that
the server drops on the way. The answer goes to stdout, the progress to stderr:`);
  const server = `model_providers.tour.base_url="${String(address).trim()}"`;
  run('exec', 'make the tests pass', '-m', 'scripted', '-c', 'model_provider=tour', '-c', server);
  run('undo', '--turn');

  say('Step by step. What a model is told:');
  run('tools');

  say('A model reads a file. This is exactly what it gets back:');
  run('call', 'read_file', '{"path": "sum.js"}');

  say('It runs a command, in a sandbox. Files of the workspace may be written, so nobody is asked:');
  call({ cmd: 'node --version > version.txt; cat version.txt' });

  say('What lies outside may not, and the model reads what was in the way:');
  const outside = { cmd: 'echo "sum is wrong" >> ../notes.txt' };
  call(outside);

  say('There is no network either. The host is known by name, whatever the program says:');
  call({ cmd: 'node weather.mjs' });

  say('Whoever is asked may grant just that. Here a rule has said yes: it is tried again, still in the sandbox:');
  writeRule('notes', 'path', { write: [path.join(base, 'notes.txt')], decision: 'allow' });
  call(outside);
  run('call', 'read_file', '{"path": "../notes.txt"}');

  say('The same sandbox is there for you. This shows what a command would change, and changes nothing:');
  run('sandbox', '--preview', '--', 'sed', '-i', 's/a - b/a + b/', 'sum.js');

  say('A model changes files by patches. All of one is applied, or nothing:');
  run('call', 'apply_patch', FIX);

  say('What was replaced is kept, so everything can be taken back, and made again:');
  run('undo', '--diff');
  run('undo');
  run('undo', '--redo');

  say('A patch that does not fit is answered with the place that was probably meant:');
  run('call', 'apply_patch', FIX.replace('a - b', 'b + a').replace('a + b;', 'b - a;'));

  say('Rules say what may run, however it is spelled:');
  writeRule('git', 'command', {
    pattern: ['git', 'push'],
    decision: 'forbidden',
    justification: 'open a pull request instead',
    match: ['git push origin main'],
  });
  run('policy', 'explain', '--', "git add -A && bash -c 'sudo git -C . push'");
  call({ cmd: 'git add -A && git push' });

  say('A program that asks a question is given a terminal, and the model hears that it waits:');
  call({ cmd: 'printf "Your name? "; read name', tty: true });

  say('An output that is too long keeps both ends, and the whole in a file:');
  call({ cmd: 'seq 1 100000', max_output_tokens: 20 });

  say('A call that makes no sense is explained, never thrown:');
  run('call', 'read_file', '{"file": "sum.js"}');

  say('And every step can be listened to:');
  run('call', 'update_plan', '{"plan": [{"step": "Fix sum", "status": "in_progress"}]}', '--json');
} finally {
  model.stdin.end();
  rmSync(base, { recursive: true, force: true });
}

function writeWorkspace() {
  for (const each of [folder, path.join(home, 'rules')]) mkdirSync(each, { recursive: true });
  writeFileSync(path.join(folder, 'sum.js'), 'export function sum(a, b) {\n  return a - b;\n}\n');
  writeFileSync(path.join(folder, 'sum.test.js'), TEST);
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }\n');
  writeFileSync(path.join(folder, 'weather.mjs'), WEATHER);
  writeFileSync(path.join(base, 'notes.txt'), '');
  // All of this stands where temporary files do, which may be written to unless the settings say otherwise.
  const strict = 'exclude_slash_tmp = true\nexclude_tmpdir_env_var = true\n';
  writeFileSync(path.join(home, 'config.toml'), `[sandbox_workspace_write]\n${strict}`);
}

/** Writes a file with one rule, and shows it. */
function writeRule(name, kind, rule) {
  const lines = Object.entries(rule).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
  writeFileSync(path.join(home, 'rules', `${name}.toml`), `[[${kind}]]\n${lines.join('')}`);
  process.stdout.write(`  ~/.tenon/rules/${name}.toml:\n`);
  process.stdout.write(`    [[${kind}]]\n${lines.map((line) => `    ${line}`).join('')}`);
}

function call(args) {
  run('call', 'exec_command', JSON.stringify({ ...args, login: false }));
}

function run(...args) {
  runShown(args, { cwd: folder, home });
}
