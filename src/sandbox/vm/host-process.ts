/** A program of ours on the host that works for a guest: what it printed last, and its end. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

export interface HostProcess {
  /** Never rejects. */
  readonly ended: Promise<void>;
  /** Resolves when its output so far has held the text; rejects when it ends before. */
  printed(text: string): Promise<void>;
  /** The last it printed, for a person to read. */
  lastLines(): string;
  kill(): void;
  /** Kills it unless it ends by itself in a moment; resolves when it has ended. */
  endSoon(): Promise<void>;
}

const KEPT_CHARACTERS = 4000;
const SHOWN_LINES = 25;
const MOMENT_MS = 1000;

/** In a session of its own, so that a key pressed in a terminal does not reach it. */
export function startHostProcess(file: string, args: readonly string[]): HostProcess {
  const child = spawn(file, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'], env: ENVIRONMENT, cwd: '/' });
  let kept = '';
  const listeners = new Set<() => void>();
  const take = (chunk: string): void => {
    kept = (kept + chunk).slice(-KEPT_CHARACTERS);
    for (const listener of listeners) listener();
  };
  child.stdout.setEncoding('utf8').on('data', take);
  child.stderr.setEncoding('utf8').on('data', take);
  const ended = endOf(child, take);
  const kill = (): void => void child.kill('SIGKILL');

  return {
    ended,
    async printed(text) {
      const seen = new Promise<boolean>((resolve) => {
        const look = (): void => void (kept.includes(text) && resolve(true));
        listeners.add(look);
        look();
      });
      if (!(await Promise.race([seen, ended.then(() => kept.includes(text))]))) throw new Error(lastLines(kept));
    },
    lastLines: () => lastLines(kept),
    kill,
    async endSoon() {
      const deadline = setTimeout(kill, MOMENT_MS);
      await ended;
      clearTimeout(deadline);
    },
  };
}

/** Nothing of the user's: a variable can make Perl load code. */
const ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };

function endOf(child: ChildProcess, say: (text: string) => void): Promise<void> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      say(error.message);
      resolve();
    });
    child.once('close', () => resolve());
  });
}

/** A console draws with escape sequences; only its words are wanted. */
function lastLines(text: string): string {
  const lines = text
    .replaceAll(/\u001B\[[\d;?]*[A-Za-z]|\u001Bc/g, '')
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.length === 0 ? 'it printed nothing' : lines.slice(-SHOWN_LINES).join('\n');
}
