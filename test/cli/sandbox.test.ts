import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';

import { PROGRAM, finished, runCli, startCli, withCompiledCode } from '../support/cli.js';
import type { CliResult } from '../support/cli.js';
import { HAS_BUBBLEWRAP } from '../support/installed.js';
import { OTHER_LOOPBACK, loopbackServer } from '../support/loopback-server.js';
import { box, sh } from '../support/sandbox-cli.js';

const BACKENDS = ['cell', 'bubblewrap', 'landlock'] as const;
const MISSING = 'bwrap is not installed';
const isMissing = (backend: string): boolean => backend === 'bubblewrap' && !HAS_BUBBLEWRAP;

describe('the exit code', () => {
  test.each<readonly [what: string, command: readonly string[], code: number]>([
    ['of a command that succeeds', sh('exit 0'), 0],
    ['of a command that fails', sh('exit 7'), 7],
    ['of the highest number', sh('exit 255'), 255],
    ['of a command ended by SIGTERM', sh('kill -TERM $$'), 128 + 15],
    ['of a command ended by SIGKILL', sh('kill -KILL $$'), 128 + 9],
    ['of a command that crashes', sh('kill -SEGV $$'), 128 + 11],
    ['without such a program', ['--', 'no-such-program-here'], 127],
    ['without such a file', ['--', './no-such-file'], 127],
    ['for a folder in place of a program', ['--', '/tmp'], 125],
  ])('%s', async (_, command, code) => {
    const { run } = box();
    expect((await run(command)).code).toBe(code);
  });

  test('for a file that is no program', async () => {
    const { project, run } = box();
    writeFileSync(path.join(project, 'text'), 'not a program');
    expect((await run(['--', './text'])).code).toBe(125);
    chmodSync(path.join(project, 'text'), 0o755);
    const { code, stderr } = await run(['--', './text']);
    expect({ code, stderr }).toEqual({ code: 125, stderr: expect.stringMatching(/^tenon: .*ENOEXEC/) });
  });

  test('a program that is missing is named', async () => {
    const { stdout, stderr } = await box().run(['--', 'no-such-program-here']);
    expect({ stdout, stderr }).toEqual({
      stdout: '',
      stderr: expect.stringMatching(/^tenon: .*no-such-program-here.*\n$/),
    });
  });
});

describe('what goes in and out is left as it is', () => {
  test('output and errors', async () => {
    expect(await box().run(sh(`printf 'a\\033[1mb'; printf 'c\\377' >&2`))).toEqual({
      code: 0,
      stdout: 'a\u001B[1mb',
      stderr: 'c\uFFFD',
    });
  });

  test.for(BACKENDS)('bytes of every value through pipes, in %s', async (backend, { skip }) => {
    skip(isMissing(backend), MISSING);
    const { project, ownHome } = box();
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7 + (index >> 8)) & 0xff));
    const child = startCli(['sandbox', '--backend', backend, '--', 'cat'], { cwd: project, home: ownHome });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stdin.end(bytes);
    const [code] = (await once(child, 'close')) as [number];
    expect([code, Buffer.concat(chunks).equals(bytes)]).toEqual([0, true]);
  });

  test('arguments', async () => {
    const words = ['', ' ', '$HOME', '"', "'", '\\', '--', '-s', '*', 'ä\n', '--help'];
    const { stdout } = await box().run(['--', 'printf', '[%s]', ...words]);
    expect(stdout).toBe(words.map((word) => `[${word}]`).join(''));
  });

  test('options of the command need no --', async () => {
    expect((await box().run(['printf', '%s', '-C', '--preview'])).stdout).toBe('-C--preview');
  });

  test('a reader that goes away ends it quietly', async () => {
    const { project, ownHome } = box();
    const script = `"${process.execPath}" "${PROGRAM}" sandbox -- yes | head -n 1; echo "\${PIPESTATUS[0]}"`;
    const child = spawn('bash', ['-c', script], {
      cwd: project,
      env: { ...process.env, TENON_HOME: withCompiledCode(ownHome) },
    });
    const { stdout, stderr } = await finished(child);
    expect([stdout, stderr]).toEqual([`y\n${128 + os.constants.signals.SIGPIPE}\n`, '']);
  });
});

describe('the mode', () => {
  test('workspace-write by default: the project, and nothing beside it', async () => {
    const { project, userHome, run } = box();
    const { code } = await run(sh('echo in > made && ! echo out > ~/made 2> /dev/null'));
    expect(code).toBe(0);
    expect([readdirSync(project), readdirSync(userHome)]).toEqual([['made'], []]);
  });

  test('read-only', async () => {
    const { project, run } = box();
    const { code, stderr } = await run(['-s', 'read-only', ...sh('cat /etc/passwd > /dev/null && echo x > made')]);
    expect(code).toBe(2);
    expect(stderr).toContain('Read-only file system');
    expect(readdirSync(project)).toEqual([]);
  });

  test('danger-full-access', async () => {
    const { userHome, run } = box();
    expect((await run(['-s', 'danger-full-access', ...sh('echo out > ~/made')])).code).toBe(0);
    expect(readdirSync(userHome)).toEqual(['made']);
  });

  test('danger-full-access speaks to every host', async () => {
    const { port } = await loopbackServer('answered');
    const { stdout } = await box().run(['-s', 'danger-full-access', '--', 'curl', '-s', `http://127.0.0.1:${port}/`]);
    expect(stdout).toBe('answered');
  });

  test('from the configuration', async () => {
    const { project, run } = box('sandbox_mode = "read-only"\n');
    await run(sh('echo x > made'));
    expect(readdirSync(project)).toEqual([]);
  });
});

describe('--backend', () => {
  test.for(BACKENDS)('%s confines, and says its name to the command', async (backend, { skip }) => {
    skip(isMissing(backend), MISSING);
    const { project, userHome, run } = box();
    mkdirSync(path.join(project, '.git'));
    writeFileSync(path.join(project, '.git/config'), 'kept\n');
    const { stdout, stderr } = await run([
      '--backend',
      backend,
      ...sh(
        'echo $TENON_SANDBOX; echo x > made; echo x > ~/made; curl -sf http://denied.example/; echo x > .git/config',
      ),
    ]);
    expect(stdout).toBe(`${backend}\n`);
    expect(stderr).not.toContain('weaker than asked for');
    // What was written to a protected file is kept aside by some.
    const left = readdirSync(project).filter((name) => !name.startsWith('.tenon-quarantine-'));
    expect([left.toSorted(), readdirSync(userHome)]).toEqual([['.git', 'made'], []]);
    expect(readFileSync(path.join(project, '.git/config'), 'utf8')).toBe('kept\n');
  });

  test('one that is unknown is bad usage, and the known ones are named', async () => {
    const { code, stdout, stderr } = await box().run(['--backend', 'jail', '--', 'true']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^tenon: .*jail.*auto.*cell.*bubblewrap.*landlock/s);
    expect(stderr).not.toContain('  at ');
  });

  test('one that does not work here starts nothing', async () => {
    const { project, run } = box();
    const { code, stdout, stderr } = await run(['--backend', 'seatbelt', ...sh('echo ran; touch ran')]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(/^tenon: sandbox could not start: seatbelt: .+\n$/);
    expect(readdirSync(project)).toEqual([]);
  });
});

describe('single rights', () => {
  test('--allow-write, for a folder, a file and a path from here', async () => {
    const { project, userHome, run } = box();
    mkdirSync(path.join(userHome, 'open'));
    writeFileSync(path.join(userHome, 'file'), '');
    const flags = ['--allow-write', path.join(userHome, 'open'), '--allow-write', '../home/file'];
    const script = 'cd ~; echo 1 > open/a && echo 2 > file && ! echo 3 > other';
    const { code, stderr } = await run([...flags, ...sh(script)], { cwd: project });
    expect({ code, stderr: stderr.replaceAll(/^sh: .*\n/gm, '') }).toEqual({ code: 0, stderr: '' });
    expect(readdirSync(userHome)).toEqual(['file', 'open']);
    expect(readFileSync(path.join(userHome, 'file'), 'utf8')).toBe('2\n');
  });

  test('--allow-write for what is protected', async () => {
    const { project, run } = box();
    mkdirSync(path.join(project, '.git'));
    expect((await run(['--allow-write', '.git', ...sh('echo x > .git/made')])).code).toBe(0);
    expect(readdirSync(path.join(project, '.git'))).toEqual(['made']);
  });

  test.each([['', /the path is empty/]])('--allow-write %j is bad usage', async (file, message) => {
    const { code, stderr } = await box().run(['--allow-write', file, '--', 'true']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(message) });
  });

  test('--allow-host', async () => {
    const { port } = await loopbackServer('answered');
    const url = `http://${OTHER_LOOPBACK}:${port}/`;
    const { run } = box();
    expect((await run(['--allow-host', OTHER_LOOPBACK, '--', 'curl', '-sf', url])).stdout).toBe('answered');
    expect((await run(['--allow-host', 'other.example', '--', 'curl', '-sf', url])).code).toBe(22);
  });

  test('hosts of the configuration', async () => {
    const { port } = await loopbackServer('answered');
    const { run } = box(`[tool_security]\nallowed_network_domains = ["${OTHER_LOOPBACK}"]\n`);
    expect((await run(['--', 'curl', '-sf', `http://${OTHER_LOOPBACK}:${port}/`])).stdout).toBe('answered');
  });

  test('the network as a whole', async () => {
    const { port } = await loopbackServer('answered');
    const flags = ['-c', 'sandbox_workspace_write.network_access=true'];
    const { stdout } = await box().run([...flags, '--', 'curl', '-s', `http://127.0.0.1:${port}/`]);
    expect(stdout).toBe('answered');
  });
});

describe('what was blocked is told in one line with the flag that allows it', () => {
  /** The flag of the only line that Tenon has written. */
  const flagIn = ({ stderr }: CliResult): readonly string[] => {
    const lines = stderr.split('\n').filter((line) => line.startsWith('tenon: '));
    expect(lines).toEqual([expect.stringMatching(/^tenon: the sandbox blocked .*; (--allow-\S+ \S+) allows it$/)]);
    return /; (.*) allows it$/.exec(lines[0] ?? '')?.[1]?.split(' ') ?? [];
  };

  test('a file', async () => {
    const { userHome, run } = box();
    writeFileSync(path.join(userHome, 'file'), '');
    const command = sh('echo x > ~/file');
    const flag = flagIn(await run(command));
    expect(flag).toEqual(['--allow-write', path.join(userHome, 'file')]);
    expect(await run([...flag, ...command])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(readFileSync(path.join(userHome, 'file'), 'utf8')).toBe('x\n');
  });

  test('a file that a program says nothing of, beside others that it may write', async () => {
    const { userHome, run } = box();
    writeFileSync(path.join(userHome, 'file'), '');
    const command = sh('exec 2> /dev/null; echo x > own; echo > /dev/null; echo x > ~/file');
    const flag = flagIn(await run(command));
    expect((await run([...flag, ...command])).code).toBe(0);
  });

  test('a host', async () => {
    const { port } = await loopbackServer('answered');
    const { run } = box();
    const command = ['--', 'curl', '-sf', `http://${OTHER_LOOPBACK}:${port}/`];
    const flag = flagIn(await run(command));
    expect(flag).toEqual(['--allow-host', OTHER_LOOPBACK]);
    expect(await run([...flag, ...command])).toEqual({ code: 0, stdout: 'answered', stderr: '' });
  });

  test('nothing is said of a command that only fails', async () => {
    const { run } = box();
    expect(
      await run(sh('echo "Read-only file system: ~/x" >&2; echo > /dev/null; ls /nowhere/none > made 2>&1; exit 4')),
    ).toEqual({
      code: 4,
      stdout: '',
      stderr: 'Read-only file system: ~/x\n',
    });
  });

  test('nothing is said of a command that succeeds', async () => {
    expect(await box().run(sh('echo x 2> /dev/null > ~/file || true'))).toMatchObject({ code: 0, stdout: '' });
  });
});

describe('bad usage', () => {
  test.each<readonly [args: readonly string[], message: RegExp]>([
    [[], /there is no command; write it after --/],
    [['--'], /there is no command/],
    [['-C', '/no/such/folder', '--', 'true'], /--cd \/no\/such\/folder: there is no such folder/],
    [['-C', '/etc/passwd', '--', 'true'], /there is no such folder/],
    [['-s', 'open', '--', 'true'], /unknown variant `open`, expected one of `read-only`/],
    [['--alow-host', 'a', '--', 'true'], /unknown option '--alow-host'\n\(Did you mean --allow-host\?\)/],
    [['-c', 'sandbox.limits.memory_mb=-1', '--', 'true'], /memory_mb/],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await box().run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test('-C is where the command runs and what it may write', async () => {
    const { project, userHome, ownHome } = box();
    const { stdout } = await runCli(['sandbox', '-C', project, ...sh('pwd; touch made')], {
      cwd: userHome,
      home: ownHome,
    });
    expect(stdout).toBe(`${project}\n`);
    expect(readdirSync(project)).toEqual(['made']);
  });

  test('--help shows examples and exit codes', async () => {
    const { code, stdout } = await box().run(['--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Usage: tenon sandbox \[options\] -- <command\.\.\.>.*Examples:.*--preview.*Exit codes:/s);
    expect((await box().run(['probe', '--help'])).stdout).toMatch(
      /Usage: tenon sandbox probe.*Examples:.*Exit codes:/s,
    );
  });
});

describe('tenon sandbox probe', () => {
  test('tells of every backend whether it works, and what it covers', async () => {
    const { code, stdout, stderr } = await box().run(['probe']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^cell: works \(used\)\n {2}kept from writing elsewhere\n/);
    expect(stdout).toMatch(/^landlock: works\n(?: {2}.*\n)* {2}lacks: changes to protected folders/m);
    expect(stdout).toMatch(/^seatbelt: does not work here: .+$/m);
    expect(stdout.match(/^\w+(?=: )/gm)).toEqual([
      'cell',
      'bubblewrap',
      'landlock',
      'seatbelt',
      'docker',
      'chroot',
      'vm',
    ]);
    expect(stdout.match(/\(used\)/g)).toHaveLength(1);
  });

  test('--json: one line for each', async () => {
    const { stdout } = await box().run(['probe', '--json']);
    const found = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { name: string; works: boolean; chosen?: boolean });
    expect(found).toContainEqual(
      expect.objectContaining({
        name: 'cell',
        works: true,
        chosen: true,
        shortfalls: [],
        guarantees: expect.any(Object),
      }),
    );
    expect(found.filter(({ chosen }) => chosen).map(({ name }) => name)).toEqual(['cell']);
    for (const each of found)
      if (!each.works) expect(each).toEqual({ name: each.name, works: false, reason: expect.any(String) });
  });

  test('fails where nothing can confine', async () => {
    expect((await box().run(['probe', '-c', 'sandbox_policy=seatbelt'])).code).toBe(os.platform() === 'linux' ? 1 : 0);
  });
});

describe('at a terminal', () => {
  /** Types the next answer each time that the cue is on the screen once more. */
  async function atTerminal(
    args: readonly string[],
    cue: RegExp,
    typed: readonly string[],
  ): Promise<{ screen: string; code: number }> {
    const { project, ownHome } = box();
    const words = [process.execPath, PROGRAM, 'sandbox', ...args].map((word) => `'${word}'`).join(' ');
    const child = spawn('script', ['-qec', `stty -echo; exec ${words}`, '/dev/null'], {
      cwd: project,
      env: { ...process.env, TENON_HOME: withCompiledCode(ownHome), TERM: 'vt220' },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let screen = '';
    let given = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      screen += chunk.toString();
      for (const cues = screen.match(cue)?.length ?? 0; given < cues; given += 1)
        child.stdin.write(typed[given] ?? '\u0004');
    });
    const [code] = (await once(child, 'close')) as [number];
    return { screen: screen.replaceAll('\r', ''), code };
  }

  test('a program sees a terminal', async () => {
    const { screen, code } = await atTerminal(
      ['--', 'sh', '-c', '[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && stty size && echo yes'],
      /$^/g,
      [],
    );
    expect(screen).toMatch(/^\d+ \d+\nyes\n$/);
    expect(code).toBe(0);
  });

  test('a program knows what kind of terminal it is, and asks at it whatever its streams are', async () => {
    const script =
      'echo "$TERM" > /dev/tty; printf "name? " > /dev/tty; read -r name < /dev/tty; echo "got $name" > /dev/tty';
    const { screen, code } = await atTerminal(['--', 'sh', '-c', `(${script}) < /dev/null > out 2>&1`], /name\? /g, [
      'Ada\n',
    ]);
    expect(screen).toBe('vt220\nname? got Ada\n');
    expect(code).toBe(0);
  });

  test('a shell has a prompt, jobs, and Ctrl-C for what it runs', async () => {
    const { screen, code } = await atTerminal(
      ['--', 'bash', '--norc', '--noprofile', '-c', 'PS1="READY% " exec bash --norc --noprofile -i'],
      /READY% |now running/g,
      [
        'echo $((6 * 7))\n',
        `sh -c 'echo now running; exec sleep 60'\n`,
        '\u0003',
        'echo after=$?\n',
        'sleep 60 & jobs\n',
        'exit 5\n',
      ],
    );
    expect(screen).toContain('42\n');
    expect(screen).toMatch(/after=130\n/);
    expect(screen).toMatch(/\[1\]\+? +Running +sleep 60 &/);
    expect(screen).not.toMatch(/no job control|cannot set terminal/);
    expect(code).toBe(5);
  });

  test('Ctrl-C ends a program that does nothing about it', async () => {
    const { code } = await atTerminal(['--', 'sh', '-c', 'echo now running; exec sleep 60'], /now running/g, [
      '\u0003',
    ]);
    expect(code).toBe(130);
  });

  test('a program may do something about Ctrl-C', async () => {
    const script = 'trap "echo caught; exit 6" INT; echo now running; while :; do sleep 0.05; done';
    const { screen, code } = await atTerminal(['--', 'sh', '-c', script], /now running/g, ['\u0003']);
    expect(screen).toContain('caught\n');
    expect(code).toBe(6);
  });
});
