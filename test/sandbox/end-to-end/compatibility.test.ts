/** What developers run every day works in the sandbox as it does without one. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { isInstalled } from '../../support/installed.js';
import { OTHER_LOOPBACK } from '../../support/loopback-server.js';
import { packageRegistry } from '../../support/package-registry.js';
import { denialsIn, sandboxedRuntime } from '../../support/sandboxed.js';
import type { SandboxedRuntime } from '../../support/sandboxed.js';

const PYTHON = '/usr/bin/python3';

/** The first bytes of what a command printed, and that it succeeded and was kept from nothing. */
async function printed(runtime: SandboxedRuntime, cmd: string, rest: object = {}): Promise<string> {
  const { header, body } = await runtime.sh(cmd, rest);
  expect(`${header.match(/exited with code \d+/)?.[0]}\n${body}`).toBe(`exited with code 0\n${body}`);
  expect(runtime.questions).toEqual([]);
  return body;
}

/** Writes files of the project. */
function write({ project }: SandboxedRuntime, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(project, name), text);
}

describe('servers on localhost', () => {
  const SERVER = `require('http').createServer((_, response) => response.end('served\\n'))`;

  test('with the client in the same command', async () => {
    const runtime = sandboxedRuntime();
    write(runtime, {
      'a.test.js': `
        const server = ${SERVER}.listen(0, 'localhost', async () => {
          const answer = await fetch('http://localhost:' + server.address().port);
          process.stdout.write(await answer.text());
          server.close();
        });`,
    });
    expect(await printed(runtime, 'node a.test.js')).toBe('served\n');
    expect(denialsIn(runtime)).toEqual([]);
  });

  test.each(['127.0.0.1', 'localhost', '[::1]'])('in a session, reached by the next command as %s', async (host) => {
    const runtime = sandboxedRuntime();
    write(runtime, { 'server.js': `${SERVER}.listen(8123, () => require('fs').writeFileSync('ready', ''))` });
    const { session } = await runtime.sh('exec node server.js', { yield_time_ms: 1 });
    expect(session).toBeGreaterThan(0);
    const answer = await printed(runtime, `until [ -e ready ]; do sleep 0.02; done; curl -sSf http://${host}:8123/`);
    expect(answer).toBe('served\n');
  });

  test('two runtimes do not meet', async () => {
    const [one, other] = [sandboxedRuntime(), sandboxedRuntime()];
    write(one, { 'server.js': `${SERVER}.listen(8123, () => console.log('ready'))` });
    await one.sh('node server.js', { yield_time_ms: 1 });
    await one.sh('until curl -s http://127.0.0.1:8123/; do sleep 0.02; done');
    expect((await other.sh('curl -sS http://127.0.0.1:8123/')).header).toContain('exited with code 7');
  });

  test('python serves as well', async () => {
    const runtime = sandboxedRuntime();
    const script = [
      'import http.server, threading, urllib.request',
      's = http.server.HTTPServer(("localhost", 0), http.server.SimpleHTTPRequestHandler)',
      'threading.Thread(target=s.serve_forever, daemon=True).start()',
      'print(urllib.request.urlopen("http://localhost:%d/" % s.server_port).status)',
    ].join('\n');
    expect(await printed(runtime, `${PYTHON} - 2> /dev/null <<'END'\n${script}\nEND`)).toBe('200\n');
  });

  test('network interfaces can be listed', async () => {
    const runtime = sandboxedRuntime();
    expect(await printed(runtime, `node -p 'Object.keys(os.networkInterfaces()).join()'`)).toBe('lo\n');
    expect(denialsIn(runtime)).toEqual([]);
  });
});

describe('python multiprocessing', () => {
  test('a pool', async () => {
    const runtime = sandboxedRuntime();
    write(runtime, {
      'pool.py':
        'from multiprocessing import Pool\ndef f(x): return x * x\n' +
        'if __name__ == "__main__":\n  with Pool(3) as p: print(sum(p.map(f, range(10))))\n',
    });
    expect(await printed(runtime, `${PYTHON} pool.py`)).toBe('285\n');
  });

  test('locks, queues and shared memory', async () => {
    const runtime = sandboxedRuntime();
    write(runtime, {
      'share.py':
        'from multiprocessing import Process, Queue, shared_memory\n' +
        'def f(q, n):\n  m = shared_memory.SharedMemory(n); q.put(m.buf[0]); m.close()\n' +
        'if __name__ == "__main__":\n  m = shared_memory.SharedMemory(create=True, size=8); m.buf[0] = 7\n' +
        '  q = Queue(); p = Process(target=f, args=(q, m.name)); p.start(); print(q.get()); p.join(); m.close(); m.unlink()\n',
    });
    expect(await printed(runtime, `${PYTHON} share.py`)).toBe('7\n');
  });

  test('a manager, where commands may have sockets of their own', async () => {
    const runtime = sandboxedRuntime({ sandbox: { unixSockets: 'private' } });
    write(runtime, {
      'manager.py':
        'from multiprocessing import Manager\n' +
        'if __name__ == "__main__":\n  with Manager() as m:\n    d = m.dict(); d["a"] = 1; print(dict(d))\n',
    });
    expect(await printed(runtime, `${PYTHON} manager.py`)).toBe("{'a': 1}\n");
  });
});

describe('git', () => {
  function repository(runtime: SandboxedRuntime): void {
    const git = (...args: string[]) => execFileSync('git', ['-C', runtime.project, ...args]);
    write(runtime, { 'a.txt': 'one\n' });
    git('init', '-q', '-b', 'main');
    git('add', 'a.txt');
    git('-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '-qm', 'first');
    write(runtime, { 'a.txt': 'two\n' });
  }

  test('looks at its repository', async () => {
    const runtime = sandboxedRuntime();
    repository(runtime);
    const body = await printed(runtime, 'git status --short && git diff --stat && git log --oneline | cut -d" " -f2');
    expect(body).toMatch(/^ M a\.txt\n a\.txt \| 2 \+-\n.*\nfirst\n$/s);
    expect(denialsIn(runtime)).toEqual([]);
  });

  test('a commit is refused, and the folder that would be needed is told', async () => {
    const runtime = sandboxedRuntime();
    repository(runtime);
    const { header, body } = await runtime.sh('git commit -qam second');
    const folder = path.join(runtime.project, '.git');
    expect(header).toContain('exited with code 128');
    expect(body).toContain(`[tenon: the sandbox blocked: write ${folder}]`);
    expect(runtime.questions.map(({ permission }) => permission.grants)).toEqual([[{ kind: 'write', path: folder }]]);
  });
});

describe('compilers, packages and watchers', () => {
  test.skipIf(!isInstalled('gcc'))('gcc makes a program that runs', async () => {
    const runtime = sandboxedRuntime();
    write(runtime, { 'a.c': '#include <stdio.h>\nint main(void) { puts("compiled"); return 0; }\n' });
    expect(await printed(runtime, 'gcc -O2 -o a a.c && ./a')).toBe('compiled\n');
  });

  test('make and npm test', async () => {
    const runtime = sandboxedRuntime();
    write(runtime, {
      'package.json': '{"name":"tiny","version":"1.0.0","scripts":{"test":"node --test"}}',
      'a.test.js': `require('node:test').test('adds', () => require('assert').equal(1 + 1, 2));`,
      Makefile: 'all:\n\t@npm test --silent\n',
    });
    expect(await printed(runtime, 'make --no-print-directory')).toMatch(/# pass 1\n# fail 0|ℹ pass 1\nℹ fail 0/);
  });

  test.each(['false', 'true'])('files are watched (recursive: %s)', async (recursive) => {
    const runtime = sandboxedRuntime();
    write(runtime, {
      'watch.js': `
        const fs = require('fs');
        fs.mkdirSync('in');
        const watcher = fs.watch('in', { recursive: ${recursive} }, (_, name) => {
          console.log(name);
          watcher.close();
        });
        setImmediate(() => fs.writeFileSync('in/made', 'x'));`,
    });
    expect(await printed(runtime, 'node watch.js')).toBe('made\n');
  });

  test('packages are installed through the proxy', async () => {
    const registry = await packageRegistry({
      name: 'tiny-package',
      version: '1.2.3',
      main: 'module.exports = "installed"',
    });
    const runtime = sandboxedRuntime({ sandbox: { allowedHosts: [OTHER_LOOPBACK] } });
    write(runtime, { 'package.json': '{"name":"user","version":"1.0.0"}' });
    const url = `http://${OTHER_LOOPBACK}:${registry.port}`;
    const body = await printed(
      runtime,
      `npm install --silent --no-audit --no-fund --no-update-notifier --cache ./cache --registry ${url} tiny-package && node -p 'require("tiny-package")'`,
    );
    expect(body).toBe('installed\n');
    expect(registry.requests.map((line) => line.split(' ')[2])).toEqual([
      '/tiny-package',
      '/tiny-package/-/tiny-package-1.2.3.tgz',
    ]);
    expect(denialsIn(runtime)).toEqual([]);
  });

  test('a registry that is not allowed is asked for, and then packages are installed', async () => {
    const registry = await packageRegistry({ name: 'tiny-package', version: '1.2.3', main: '' });
    const runtime = sandboxedRuntime({ answers: ['once'] });
    write(runtime, { 'package.json': '{"name":"user","version":"1.0.0"}' });
    const { header } = await runtime.sh(
      `NO_PROXY= no_proxy= npm install --no-audit --no-fund --no-update-notifier --cache ./cache --fetch-retries 0 --registry http://localhost:${registry.port} tiny-package`,
    );
    expect(header).toContain('exited with code 0');
    expect(runtime.questions.map(({ permission }) => permission.grants)).toEqual([
      [{ kind: 'connect', host: 'localhost' }],
    ]);
    expect(existsSync(path.join(runtime.project, 'node_modules/tiny-package/index.js'))).toBe(true);
  });
});

describe('a terminal', () => {
  const terminal = (runtime: SandboxedRuntime, cmd: string, rest: object = {}) =>
    runtime.sh(cmd, { tty: true, ...rest });
  const type = (runtime: SandboxedRuntime, session: number, chars: string) =>
    runtime.call('write_stdin', { session_id: session, chars });

  test('is one, of the size it was given', async () => {
    const runtime = sandboxedRuntime({ terminalSize: { columns: 91, rows: 33 } });
    const script = 'stty size; [ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo all; stty size < /dev/tty; echo own > /dev/tty';
    expect(await printed(runtime, script, { tty: true })).toBe('33 91\r\nall\r\n33 91\r\nown\r\n');
  });

  test('a program asks in it', async () => {
    const runtime = sandboxedRuntime();
    const { session } = await terminal(runtime, `${PYTHON} -c 'print("got " + input("name? "))'`, {
      yield_time_ms: 10_000,
    });
    expect((await type(runtime, session, 'Ada\n')).body).toContain('got Ada\r\n');
  });

  test('has jobs', async () => {
    const runtime = sandboxedRuntime();
    const { session } = await terminal(runtime, 'bash --norc --noprofile -i');
    const listed = await type(runtime, session, 'sleep 30 & jobs; kill %1; wait %1; fg %1; echo left=$?\n');
    expect(listed.body).toMatch(/\[1\]\+? +Running +sleep 30 &/);
    expect(listed.body).not.toMatch(/no job control|cannot set terminal process group/);
  });

  test('Ctrl-C ends the program in front and not the shell', async () => {
    const runtime = sandboxedRuntime();
    const { session } = await terminal(runtime, 'PS1="% " bash --norc --noprofile -i');
    const started = await type(runtime, session, 'echo begun; sleep 30\n');
    expect(started.body).toContain('begun');
    await type(runtime, session, '\u0003');
    expect((await type(runtime, session, 'echo code=$?\n')).body).toContain('code=130');
    expect((await type(runtime, session, 'exit 4\n')).header).toContain('exited with code 4');
  });

  test('Ctrl-Z stops it, and fg lets it go on', async () => {
    const runtime = sandboxedRuntime();
    const { session } = await terminal(runtime, 'PS1="% " bash --norc --noprofile -i');
    await type(runtime, session, 'cat\n');
    expect((await type(runtime, session, '\u001A')).body).toMatch(/Stopped +cat/);
    await type(runtime, session, 'fg\n');
    expect((await type(runtime, session, 'echoed\n')).body).toMatch(/echoed\r\nechoed\r\n/);
  });
});

describe('small things that scripts rely on', () => {
  const CASES: readonly (readonly [what: string, cmd: string, expected: string | RegExp])[] = [
    ['here-documents', `cat <<END; cat <<<"and $((1 + 1))"\none\nEND`, 'one\nand 2\n'],
    ['process substitution', 'diff <(echo a) <(echo a) && echo same', 'same\n'],
    ['/dev/stdout and /dev/stderr', 'echo out > /dev/stdout; echo err > /dev/stderr', 'out\nerr\n'],
    ['/dev/fd', 'echo x | cat /dev/fd/0 /dev/null', 'x\n'],
    [
      '/dev/null, zero and random',
      'head -c 3 /dev/zero | wc -c; head -c 3 /dev/urandom | wc -c; echo > /dev/null',
      '3\n3\n',
    ],
    ['/dev/shm', 'echo x > /dev/shm/own && cat /dev/shm/own', 'x\n'],
    ['mktemp', 'f=$(mktemp) && echo x > "$f" && cat "$f" && d=$(mktemp -d) && [ -d "$d" ] && echo ok', 'x\nok\n'],
    ['processes', 'ps -eo comm= | sort | tr "\\n" " "', /\bps /],
    ['the number of processors', '[ "$(nproc)" -gt 0 ] && echo some', 'some\n'],
    ['the time and its zone', 'TZ=UTC date -d @0 +%FT%T', '1970-01-01T00:00:00\n'],
    ['characters beyond ASCII', `${PYTHON} -c 'print("ä€😀")'; printf 'ä' | wc -m`, /^ä€😀\n[12]\n$/],
    ['who one is', '[ "$(id -u)" = "$(stat -c %u .)" ] && whoami > /dev/null && echo me', 'me\n'],
    ['the name of the machine', '[ -n "$(uname -n)" ] && echo named', 'named\n'],
    ['links, modes and times', 'ln -s a b; touch a; chmod 640 a; touch -d @0 a; stat -c "%a %Y" a', '640 0\n'],
    ['named pipes', 'mkfifo p; echo through > p & cat p', 'through\n'],
    ['locks', 'flock lock echo locked', 'locked\n'],
    ['its own limits', 'ulimit -n 64 && ulimit -n', '64\n'],
    ['nice and timeout', 'nice -n 5 timeout 20 echo kind', 'kind\n'],
    ['signals', "trap 'echo caught' USR1; kill -USR1 $$; echo after", 'caught\nafter\n'],
    ['children', 'for i in 1 2 3; do (exit $i) & done; wait; echo done', 'done\n'],
    ['xargs in parallel', 'seq 8 | xargs -P 4 -n 1 echo | sort | tr -d "\\n"', '12345678'],
  ];

  test('all of them', async () => {
    // Temporary files belong to them.
    const runtime = sandboxedRuntime({ sandbox: { excludeSlashTmp: false } });
    const found: Record<string, string> = {};
    for (const [what, cmd] of CASES) found[what] = (await runtime.sh(cmd)).body;
    const wanted = Object.fromEntries(
      CASES.map(([what, , text]) => [what, typeof text === 'string' ? text : expect.stringMatching(text)]),
    );
    expect(found).toEqual(wanted);
    expect(denialsIn(runtime)).toEqual([]);
  });

  test('a file larger than memory for sorting is sorted', async () => {
    const runtime = sandboxedRuntime({ sandbox: { excludeSlashTmp: false } });
    const body = await printed(
      runtime,
      'seq 300000 -1 1 > n; sort -n -S 200K n | head -2; sort -n -S 200K -T . n | tail -1',
    );
    expect(body).toBe('1\n2\n300000\n');
  });

  test('a program of another user does not make it one', async () => {
    const runtime = sandboxedRuntime();
    const own = readFileSync('/proc/self/status', 'utf8').match(/^Uid:\s+(\d+)/m)?.[1] ?? '';
    const { body } = await runtime.sh(
      'grep -E "^(NoNewPrivs|CapEff|CapBnd):" /proc/self/status; su -c id nobody; id -u',
    );
    expect(body).toMatch(/CapEff:\s+0+\n/);
    expect(body).toMatch(/NoNewPrivs:\s+1\n/);
    expect(body).toMatch(new RegExp(`^${own}$`, 'm'));
    expect(body).not.toMatch(/uid=\d+\(nobody\)/);
  });
});
