/** Runs commands of the built program as a user would, and shows each with what it printed. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const PROGRAM = path.join(import.meta.dirname, '../dist/tenon.cjs');

export function say(text) {
  process.stdout.write(`\n${text}\n`);
}

/** `show` says which streams are shown, and in which order. Returns the exit code. */
export function runShown(args, { cwd, home, show = ['stdout', 'stderr'] }) {
  process.stdout.write(`$ tenon ${args.map(quote).join(' ')}\n`);
  const ended = spawnSync(process.execPath, [PROGRAM, ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TENON_HOME: home },
  });
  const printed = show.map((stream) => ended[stream].replace(/[^\n]$/, '$&\n')).join('');
  process.stdout.write(`${printed.trimEnd().replace(/^/gm, '  ')}\n  (exit code ${ended.status})\n`);
  return ended.status;
}

function quote(word) {
  return /^[\w./=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
