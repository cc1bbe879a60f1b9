/** The agent and its commands, without a container around them: everything but the confinement. */
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { Aborted } from '../../../src/core/errors.js';
import { openAgentLink } from '../../../src/sandbox/docker/agent-link.js';
import { agentCommand, agentFiles } from '../../../src/sandbox/docker/agent-program.js';
import { createCommands } from '../../../src/sandbox/docker/commands.js';
import { createSlotBoard } from '../../../src/sandbox/docker/slot-board.js';
import type { ContainerCommand } from '../../../src/sandbox/docker/start-command.js';
import type { Limits } from '../../../src/sandbox/policy.js';
import { processGone } from '../../support/process-gone.js';
import { tempFolder } from '../../support/temp-folder.js';

const ENV = { PATH: '/usr/bin:/bin' };

async function startAgent(limits: Limits = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'tenon-test-'));
  for (const [name, text] of Object.entries(agentFiles(limits, folder))) writeFileSync(path.join(folder, name), text);
  const [file = '', ...args] = agentCommand('agent', folder);
  const board = createSlotBoard();
  const onStatus = board.hear.bind(board);
  const link = await openAgentLink({ call: { file, env: ENV }, args, folder, onStatus });
  void link.ended.then((reason) => board.lose(reason));
  const commands = createCommands({ folder, link, board });
  const close = async (): Promise<void> => {
    link.hangUp();
    await link.ended;
    await commands.close();
    rmSync(folder, { recursive: true });
  };
  const spawn = async (argv: readonly string[], more: Partial<ContainerCommand> = {}) => {
    const said = { stdout: '', stderr: '' };
    const onOutput: ContainerCommand['onOutput'] = (chunk, stream) =>
      (said[stream] += Buffer.from(chunk).toString('latin1'));
    return { process: await commands.spawn({ argv, cwd: '/', env: ENV, onOutput, ...more }), said };
  };
  const run = async (argv: readonly string[], more: Partial<ContainerCommand> = {}) => {
    const { process, said } = await spawn(argv, more);
    return { exit: await process.exit, stdout: decoded(said.stdout), stderr: decoded(said.stderr) };
  };
  return { folder, link, spawn, run, close };
}

/** For what would disturb others. */
async function ownAgent(limits: Limits = {}) {
  const agent = await startAgent(limits);
  onTestFinished(agent.close);
  return agent;
}

let shared: Awaited<ReturnType<typeof startAgent>>;
beforeAll(async () => {
  shared = await startAgent();
});
afterAll(() => shared.close());

/** Only the whole can be decoded: a chunk may end within a character. */
function decoded(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString();
}

/** The shells that wait for a command or for its end. */
function processesOf(folder: string): readonly number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => /\/(runner|waiter)\0/.test(commandLine(pid).replace(folder, '')));

  function commandLine(pid: number): string {
    try {
      const text = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return text.includes(`${folder}/`) ? text : '';
    } catch {
      return '';
    }
  }
}

/** Resolves when a running command has said something. */
async function saying(script: string, more: Partial<ContainerCommand> = {}) {
  const { spawn } = shared;
  let heard = (_text: string): void => {};
  const first = new Promise<string>((resolve) => (heard = resolve));
  const onOutput: ContainerCommand['onOutput'] = (chunk) => heard(Buffer.from(chunk).toString());
  const { process } = await spawn(['sh', '-c', script], { onOutput, ...more });
  return { process, text: await first };
}

const exited = (code: number) => ({ kind: 'exited', code });

describe('a command', () => {
  test('gives its streams apart, and its exit code', async () => {
    const { run } = shared;
    expect(await run(['sh', '-c', 'echo out; echo err >&2; exit 3'])).toEqual({
      exit: exited(3),
      stdout: 'out\n',
      stderr: 'err\n',
    });
  });

  test.each([0, 1, 125, 126, 127, 128, 130, 137, 143, 255])('that exits with %i has exited', async (code) => {
    const { run } = shared;
    expect((await run(['sh', '-c', `exit ${code}`])).exit).toEqual(exited(code));
  });

  test.each([
    ['SIGINT', 2],
    ['SIGABRT', 6],
    ['SIGKILL', 9],
    ['SIGSEGV', 11],
    ['SIGPIPE', 13],
    ['SIGTERM', 15],
  ])('that is ended by %s was signalled', async (signal, number) => {
    const { run } = shared;
    expect((await run(['sh', '-c', `kill -${number} $$`])).exit).toEqual({ kind: 'signalled', signal, number });
  });

  test('gets its words, folder and variables, and no descriptor of the agent', async () => {
    const { run } = shared;
    const cwd = path.join(tempFolder(), 'it\'s \n "odd" $HOME');
    mkdirSync(cwd);
    const words = ['', ' ', "'", '"', '\n\n', '$(id)', '\\', '*', '-n', 'é\u0081', 'x'.repeat(100_000)];
    const env = { ...ENV, A: 'a\nb', LC_ALL: 'nonsense', 'odd-name': "'" };
    const script =
      'pwd; cat /proc/$$/environ; printf "%s\\0" "$@"; for n in 8 9; do [ -e /proc/$$/fd/$n ] && echo $n; done; cat';
    const { exit, stdout, stderr } = await run(['/bin/sh', '-c', script, 'x', ...words], { cwd, env });
    const variables = stdout
      .slice(cwd.length + 1)
      .split('\0')
      .slice(0, 4);
    expect({ exit, stderr, variables: variables.toSorted() }).toEqual({
      exit: exited(0),
      stderr: '',
      variables: ['A=a\nb', 'LC_ALL=nonsense', 'PATH=/usr/bin:/bin', "odd-name='"],
    });
    expect(stdout.endsWith(words.map((word) => `${word}\0`).join(''))).toBe(true);
    expect(stdout.startsWith(`${cwd}\n`)).toBe(true);
  });

  test('leads a session of its own and hears Ctrl-C', async () => {
    const { process, text } = await saying("trap 'echo caught; exit 7' INT; echo $$; sleep 60 & wait");
    const [, , , , group, session] = readFileSync(`/proc/${text.trim()}/stat`, 'utf8')
      .replace(/\(.*\)/s, 'x')
      .split(' ');
    expect([group, session].map((each) => `${each}\n`)).toEqual([text, text]);
    process.interrupt();
    expect(await process.exit).toEqual(exited(7));
  });

  test('that sets no trap is ended by Ctrl-C, as everything in its group', async () => {
    const { process } = await saying('echo up; exec sleep 60');
    process.interrupt();
    expect(await process.exit).toEqual({ kind: 'signalled', signal: 'SIGINT', number: 2 });
  });

  test('that kills whoever waits for its end is found to have ended', async () => {
    const { run } = shared;
    const script = 'read -r _ _ _ parent _ </proc/$PPID/stat; kill -9 $parent $PPID; echo done';
    const { exit, stdout } = await run(['sh', '-c', script]);
    expect([exit, stdout]).toEqual([{ kind: 'signalled', signal: 'SIGKILL', number: 9 }, 'done\n']);
  });

  test('that closes its output runs on', async () => {
    const { run } = shared;
    expect((await run(['sh', '-c', 'exec >&- 2>&-; sleep 1.5; exit 4'])).exit).toEqual(exited(4));
  });

  test('starts although the shells that wait were killed', async () => {
    const { folder, run } = await ownAgent();
    await run(['true']);
    const waiting = processesOf(folder);
    expect(waiting.length).toBeGreaterThan(2);
    for (const pid of waiting) process.kill(pid, 'SIGKILL');
    await Promise.all(waiting.map(processGone));
    // One that was handed out before its death was heard of takes its command with it; the others are not given out.
    while ((await run(['true'])).exit.kind !== 'exited');
    const after = await Promise.all([run(['echo', 'a']), run(['echo', 'b']), run(['echo', 'c']), run(['echo', 'd'])]);
    expect(after.map((each) => each.stdout)).toEqual(['a\n', 'b\n', 'c\n', 'd\n']);
  });

  test('may print more than any pipe holds', async () => {
    const { run } = shared;
    const { exit, stdout } = await run(['sh', '-c', 'head -c 5000000 /dev/zero']);
    expect([exit, stdout.length]).toEqual([exited(0), 5_000_000]);
  });

  test('is not waited for when only a child in the background holds its output', async () => {
    const { run } = shared;
    const { exit, stdout } = await run(['sh', '-c', 'sleep 60 & echo $!']);
    expect(exit).toEqual(exited(0));
    await processGone(Number(stdout));
  });

  test('runs beside others, which do not mix', async () => {
    const { run } = shared;
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) => run(['sh', '-c', `echo ${index}; echo e${index} >&2; exit ${index}`])),
    );
    expect(results).toEqual(
      results.map((_, index) => ({ exit: exited(index), stdout: `${index}\n`, stderr: `e${index}\n` })),
    );
  });

  test('whose output cannot be taken is ended', async () => {
    const { run } = shared;
    const onOutput = () => {
      throw new Error('full');
    };
    const { exit } = await run(['sh', '-c', 'echo a; exec sleep 60'], { onOutput });
    expect(exit).toEqual({ kind: 'not_started', reason: 'its output could not be taken: full' });
  });
});

describe('a command that cannot be started', () => {
  test.each([
    [['no-such-program'], {}, 'there is no program no-such-program in the container'],
    [['/etc'], {}, 'there is no program /etc in the container'],
    [['/etc/passwd'], {}, 'there is no program /etc/passwd in the container'],
    [['sh'], { env: { PATH: '/nowhere' } }, 'there is no program sh in the container'],
    [
      ['true'],
      { cwd: '/nowhere' },
      'the working directory /nowhere does not exist in the container, or may not be entered',
    ],
    [['a\0b'], {}, 'the command contains a NUL character'],
    [['true', 'x'.repeat(200_000)], {}, 'the command is too long for the system; put the text into a file'],
  ])('%j is not, and says nothing but why', async (argv, more, reason) => {
    const { run } = shared;
    expect(await run(argv, more)).toEqual({ exit: { kind: 'not_started', reason }, stdout: '', stderr: '' });
  });

  test('is found without a PATH where the system looks', async () => {
    const { run } = shared;
    expect((await run(['true'], { env: {} })).exit).toEqual(exited(0));
  });

  test('is not when it was given up before', async () => {
    const { spawn, run } = shared;
    await expect(spawn(['true'], { signal: AbortSignal.abort() })).rejects.toThrow(Aborted);
    expect((await run(['true'])).exit).toEqual(exited(0));
  });

  test('may not have a mark that is more than a line', async () => {
    const { run } = shared;
    expect(await run(['true'], { mark: 'A=b\nstart 9' })).toMatchObject({
      exit: { kind: 'not_started', reason: 'a mark is one line' },
    });
  });
});

describe('ending a command', () => {
  const daemon = 'setsid -f sh -c "echo \\$\\$; exec sleep 61" >&2';

  test('ends its children too, also those that trap every signal', async () => {
    const { process, text } = await saying(
      'sh -c "trap \'\' TERM INT HUP; echo \\$\\$; while :; do sleep 1; done" & wait',
    );
    await process.end();
    await processGone(Number(text));
    expect(await process.exit).toEqual({ kind: 'signalled', signal: 'SIGKILL', number: 9 });
  });

  test('ends what left its session, by its mark', async () => {
    const mark = `MARK=it's ${Math.random()} *`;
    const env = { ...ENV, MARK: mark.slice(5) };
    const { process, text } = await saying(`${daemon}; exec sleep 62`, { mark, env });
    await process.end();
    await processGone(Number(text));
  });

  test('ends what is left of it after its end, and no other command', async () => {
    const { spawn, run } = shared;
    const other = await spawn(['sleep', '63'], { env: { ...ENV, MARK: 'two' }, mark: 'MARK=two' });
    const started = await spawn(['sh', '-c', daemon], { env: { ...ENV, MARK: 'one' }, mark: 'MARK=one' });
    expect(await started.process.exit).toEqual(exited(0));
    await started.process.end();
    await processGone(Number(started.said.stderr));
    expect((await run(['true'])).exit).toEqual(exited(0));
    other.process.interrupt();
    expect(await other.process.exit).toEqual({ kind: 'signalled', signal: 'SIGINT', number: 2 });
  });

  test('ends what is left in its session, also in a group of its own and without a mark', async () => {
    const { spawn } = shared;
    const { process, said } = await spawn(['bash', '-c', 'set -m; sleep 64 >/dev/null 2>&1 & echo $!']);
    expect(await process.exit).toEqual(exited(0));
    await process.end();
    await processGone(Number(said.stdout));
  });

  test('ends one whose name is made to mislead', async () => {
    const { process, text } = await saying(
      "printf ') R 1 1 1\\n) S' >/proc/$$/comm; echo $$; while :; do sleep 1; done",
    );
    await process.end();
    await processGone(Number(text));
  });
});

describe('limits of a single process', () => {
  test('hold, and cannot be raised again', async () => {
    const { run } = await ownAgent({ cpuSeconds: 7, fileBytes: 1_000_000 });
    const script = 'ulimit -H -t; ulimit -H -f; ulimit -H -c';
    expect((await run(['dash', '-c', script])).stdout).toBe('7\n1954\n0\n');
  });

  test('end a command that writes more', async () => {
    const { run } = await ownAgent({ fileBytes: 1024 });
    const cwd = tempFolder();
    const { exit } = await run(['sh', '-c', 'exec head -c 5000 /dev/zero >big'], { cwd });
    expect(exit).toEqual({ kind: 'signalled', signal: 'SIGXFSZ', number: 25 });
    expect(readFileSync(path.join(cwd, 'big')).length).toBe(1024);
  });
});

describe('when the agent ends', () => {
  test('its commands have ended, and no other can be started', async () => {
    const { link, spawn, run } = await ownAgent();
    const { process } = await spawn(['sleep', '0.2']);
    link.kill();
    expect(await process.exit).toEqual({ kind: 'signalled', signal: 'SIGKILL', number: 9 });
    await process.end();
    expect((await run(['true'])).exit).toMatchObject({ kind: 'not_started' });
  });

  test('before it is up, its last words are the reason', async () => {
    const folder = tempFolder();
    const call = { file: '/bin/sh', env: ENV };
    const args = ['-c', 'echo first >&2; echo no such image >&2; exit 125'];
    await expect(openAgentLink({ call, args, folder, onStatus: () => {} })).rejects.toThrow(
      'the container of the sandbox could not be started: no such image',
    );
  });
});
