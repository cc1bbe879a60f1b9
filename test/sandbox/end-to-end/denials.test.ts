/** What the sandbox blocked is found, asked about, and given in a second attempt; what it did not block is left alone. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { OTHER_LOOPBACK, loopbackServer } from '../../support/loopback-server.js';
import { attemptsIn, denialsIn, sandboxedRuntime } from '../../support/sandboxed.js';
import type { SandboxedRuntime } from '../../support/sandboxed.js';

const HOST = 'denied.example';
const WITHOUT_PROXY = 'env -u http_proxy -u https_proxy -u all_proxy -u HTTP_PROXY -u HTTPS_PROXY -u ALL_PROXY';
const FETCH = `fetch('https://${HOST}/').catch(({ cause }) => { console.error(String(cause)); process.exit(1) })`;
const PYTHON = '/usr/bin/python3';

/** Each as a program says it of its own accord: none of them knows of a sandbox. */
const CONNECTIONS: readonly (readonly [cmd: string, proof: string])[] = [
  [`curl -sSf https://${HOST}/`, 'proxy'],
  [`curl -sf http://${HOST}/`, 'proxy'],
  [`${WITHOUT_PROXY} curl -sS https://${HOST}/`, 'broker'],
  [`git ls-remote https://${HOST}/x.git`, 'proxy'],
  [`${WITHOUT_PROXY} git ls-remote https://${HOST}/x.git`, 'broker'],
  [`git ls-remote git://${HOST}/x.git`, 'broker'],
  [`npm view left-pad --registry=https://${HOST} --fetch-retries=0 2> npm.log`, 'proxy'],
  [`${WITHOUT_PROXY} npm view left-pad --registry=https://${HOST} --fetch-retries=0`, 'broker'],
  [`node -e "${FETCH}"`, 'broker'],
  [`${PYTHON} -c 'import urllib.request as u; u.urlopen("https://${HOST}/")' 2> /dev/null`, 'proxy'],
  [`${PYTHON} -c 'import socket; socket.create_connection(("${HOST}", 443))'`, 'broker'],
  [`wget -qO- https://${HOST}/`, 'proxy'],
  [`wget --no-proxy -qO- https://${HOST}/`, 'broker'],
];

const permissions = ({ questions }: SandboxedRuntime) => questions.map(({ permission }) => permission);

describe('a connection that was blocked is found without a word of it in the output', () => {
  test.each(CONNECTIONS)('%s', async (cmd, proof) => {
    const runtime = sandboxedRuntime();
    const { header, body } = await runtime.sh(cmd);
    expect(header).not.toContain('exited with code 0');
    const [said, told] = body.split(/^(?=\[tenon: )/m).length > 1 ? body.split(/^(?=\[tenon: )/m) : ['', body];
    expect(said).not.toMatch(/sandbox|tenon:|not permitted|permission|blocked/i);
    expect(told).toBe(`[tenon: the sandbox blocked: connect ${HOST}]\n`);
    expect(denialsIn(runtime)).toEqual([{ attempt: 1, kind: 'connect', target: HOST, proof }]);
    expect(permissions(runtime)).toEqual([{ confined: true, grants: [{ kind: 'connect', host: HOST }] }]);
    expect(runtime.questions[0]).toMatchObject({
      rule: { name: 'missing-grant' },
      proposal: [{ kind: 'host', host: HOST }],
    });
    // The answer was no, so the first result stands.
    expect(attemptsIn(runtime)).toEqual([{ confined: true, grants: [] }]);
  });

  test('an address by its number', async () => {
    const runtime = sandboxedRuntime();
    await runtime.sh(`${WITHOUT_PROXY} curl -sS http://192.0.2.7/`);
    expect(denialsIn(runtime)).toEqual([{ attempt: 1, kind: 'connect', target: '192.0.2.7', proof: 'kernel' }]);
    expect(permissions(runtime)).toEqual([{ confined: true, grants: [{ kind: 'connect', host: '192.0.2.7' }] }]);
  });

  test('several hosts are one question', async () => {
    const runtime = sandboxedRuntime();
    await runtime.sh('curl -sf https://a.example/; curl -sf https://b.example/');
    const grants = ['a.example', 'b.example'].map((host) => ({ kind: 'connect', host }));
    expect(permissions(runtime)).toEqual([{ confined: true, grants }]);
  });

  test('while another command runs, nobody is asked for a name that may be of that one', async () => {
    const runtime = sandboxedRuntime();
    const { session } = await runtime.sh('until [ -e go ]; do sleep 0.02; done; exit 3', { yield_time_ms: 1 });
    const { header } = await runtime.sh(`${WITHOUT_PROXY} curl -sS https://${HOST}/; touch go; exit 5`);
    expect(header).toContain('exited with code 5');
    await runtime.call('write_stdin', { session_id: session, chars: '' });
    expect(denialsIn(runtime)).toContainEqual({ attempt: 1, kind: 'connect', target: HOST, proof: 'inferred' });
    expect(denialsIn(runtime)).not.toContainEqual(expect.objectContaining({ proof: 'broker' }));
    expect(runtime.questions).toEqual([]);
  });
});

describe('a second attempt', () => {
  test('reaches the host that was allowed, and no other', async () => {
    const { port, requests } = await loopbackServer('from outside\n');
    const runtime = sandboxedRuntime({ answers: ['once'] });
    const { header, body } = await runtime.sh(
      `curl -sSf http://${OTHER_LOOPBACK}:${port}/one && curl -sf http://${HOST}/two`,
    );
    expect(header).toContain('exited with code 22');
    expect(body).toBe(`from outside\n[tenon: the sandbox blocked: connect ${HOST}]\n`);
    expect(requests).toEqual([`${OTHER_LOOPBACK} GET /one`]);
    const given = { confined: true, grants: [{ kind: 'connect', host: OTHER_LOOPBACK }] };
    expect(permissions(runtime)).toEqual([given]);
    expect(attemptsIn(runtime)).toEqual([{ confined: true, grants: [] }, given]);
    expect(denialsIn(runtime)).toEqual([
      { attempt: 1, kind: 'connect', target: OTHER_LOOPBACK, proof: 'proxy' },
      { attempt: 2, kind: 'connect', target: HOST, proof: 'proxy' },
    ]);
  });

  test('of a command that succeeds says nothing of the first', async () => {
    const { port } = await loopbackServer('from outside\n');
    const runtime = sandboxedRuntime({ answers: ['once'] });
    const { header, body } = await runtime.sh(`curl -sSf --noproxy '' http://localhost:${port}/`);
    expect(header).toContain('exited with code 0');
    expect(body).toBe('from outside\n');
    expect(permissions(runtime)).toEqual([{ confined: true, grants: [{ kind: 'connect', host: 'localhost' }] }]);
  });

  test('is the last one', async () => {
    const runtime = sandboxedRuntime({ answers: ['once'] });
    await runtime.sh('n=$(cat n 2> /dev/null || echo a); echo ${n}b > n; curl -sf "https://$n.example/"');
    expect(readFileSync(path.join(runtime.project, 'n'), 'utf8')).toBe('abb\n');
    expect(attemptsIn(runtime)).toHaveLength(2);
    expect(runtime.questions).toHaveLength(1);
  });

  test('a yes holds for one call only', async () => {
    const { port, requests } = await loopbackServer('from outside\n');
    const runtime = sandboxedRuntime({ answers: ['once', 'deny'] });
    const curl = `curl -sSf http://${OTHER_LOOPBACK}:${port}/`;
    expect((await runtime.sh(curl)).body).toBe('from outside\n');
    expect((await runtime.sh(curl)).header).toContain('exited with code 22');
    expect([runtime.questions.length, requests.length]).toEqual([2, 1]);
  });

  test('is not made when the command succeeded, but the block is told', async () => {
    const runtime = sandboxedRuntime({ answers: ['once'] });
    const { body } = await runtime.sh(`curl -sf https://${HOST}/ || echo offline`);
    expect(body).toBe(`offline\n[tenon: the sandbox blocked: connect ${HOST}]\n`);
    expect(denialsIn(runtime)).toHaveLength(1);
    expect(runtime.questions).toEqual([]);
  });

  test('is not made when nobody may be asked', async () => {
    const runtime = sandboxedRuntime({ answers: ['once'], approvalPolicy: 'never' });
    const { body, result } = await runtime.sh(`curl -sf https://${HOST}/`);
    expect(result.outcome.kind).toBe('completed');
    expect(body).toBe(`[tenon: the sandbox blocked: connect ${HOST}]\n`);
    expect([runtime.questions, attemptsIn(runtime)]).toEqual([[], [{ confined: true, grants: [] }]]);
  });
});

describe('answers that are remembered', () => {
  test('for the session: the same command asks no more', async () => {
    const { port, requests } = await loopbackServer('from outside\n');
    const runtime = sandboxedRuntime({ answers: ['session', 'deny'] });
    const curl = `curl -sSf http://${OTHER_LOOPBACK}:${port}/`;
    await runtime.sh(curl);
    expect((await runtime.sh(curl)).body).toBe('from outside\n');
    expect(runtime.questions).toHaveLength(1);
    expect(requests).toHaveLength(2);
  });

  test('always: a rule is written, and the next command passes the proxy at once', async () => {
    const { port, requests } = await loopbackServer('from outside\n');
    const runtime = sandboxedRuntime({ answers: ['always', 'deny'] });
    await runtime.sh(`curl -sSf http://${OTHER_LOOPBACK}:${port}/one`);
    const rules = readFileSync(path.join(runtime.ownHome, 'rules/approved.toml'), 'utf8');
    expect(rules).toMatch(/\[\[host\]\]\nhost = \[?"127\.0\.0\.2"\]?\ndecision = "allow"/);
    expect(runtime.record.of('rule.saved')).toHaveLength(1);
    expect((await runtime.sh(`curl -sSf http://${OTHER_LOOPBACK}:${port}/two`)).body).toBe('from outside\n');
    expect(runtime.questions).toHaveLength(1);
    expect(requests).toEqual([`${OTHER_LOOPBACK} GET /one`, `${OTHER_LOOPBACK} GET /two`]);
    // Two of the first call, one of the second.
    expect(attemptsIn(runtime)).toHaveLength(3);
  });
});

describe('hosts that are allowed beforehand', () => {
  test('are reached in the first attempt', async () => {
    const { port } = await loopbackServer('from outside\n');
    const runtime = sandboxedRuntime({ sandbox: { allowedHosts: [OTHER_LOOPBACK] } });
    expect((await runtime.sh(`curl -sSf http://${OTHER_LOOPBACK}:${port}/`)).body).toBe('from outside\n');
    expect([runtime.questions, denialsIn(runtime)]).toEqual([[], []]);
  });

  test('a suffix holds for what is below it, and only for that', async () => {
    const runtime = sandboxedRuntime({ sandbox: { allowedHosts: ['*.allowed.invalid'] } });
    const status = (host: string) => `curl -s -o /dev/null -w '%{http_code} ' http://${host}/`;
    const { body } = await runtime.sh(
      ['a.allowed.invalid', 'a.b.allowed.invalid', 'allowed.invalid', 'notallowed.invalid'].map(status).join('; '),
    );
    // Nobody has these names: the proxy tried for the first two, and refused the others.
    expect(body).toMatch(/^502 502 403 403 /);
    expect(denialsIn(runtime)).toEqual([
      { attempt: 1, kind: 'connect', target: 'allowed.invalid', proof: 'proxy' },
      { attempt: 1, kind: 'connect', target: 'notallowed.invalid', proof: 'proxy' },
    ]);
  });

  test('a star does not open the machine itself', async () => {
    const { port, requests } = await loopbackServer('from outside\n');
    const runtime = sandboxedRuntime({ sandbox: { allowedHosts: ['*'] } });
    const { body } = await runtime.sh(`curl -sS http://${OTHER_LOOPBACK}:${port}/; exit 1`);
    expect(body).toContain('leads to a private address');
    expect(requests).toEqual([]);
  });

  test('a rule that forbids a host wins over the list, and nobody is asked', async () => {
    const { port, requests } = await loopbackServer('from outside\n');
    const runtime = sandboxedRuntime({
      answers: ['once'],
      sandbox: { allowedHosts: [OTHER_LOOPBACK] },
      ruleFile: `[[host]]\nhost = ["${OTHER_LOOPBACK}"]\ndecision = "forbidden"\n`,
    });
    const { header } = await runtime.sh(`H=${OTHER_LOOPBACK}; curl -sSf "http://$H:${port}/"`);
    expect(header).toContain('exited with code 22');
    expect([requests, runtime.questions]).toEqual([[], []]);
    expect(attemptsIn(runtime)).toHaveLength(1);
  });

  test('a rule that asks about a host is a no at first and a question then', async () => {
    const { port } = await loopbackServer('from outside\n');
    const runtime = sandboxedRuntime({
      answers: ['once'],
      ruleFile: `[[host]]\nhost = ["${OTHER_LOOPBACK}"]\ndecision = "prompt"\n`,
    });
    const { body } = await runtime.sh(`H=${OTHER_LOOPBACK}; curl -sSf "http://$H:${port}/"`);
    expect(permissions(runtime)).toEqual([{ confined: true, grants: [{ kind: 'connect', host: OTHER_LOOPBACK }] }]);
    expect(body).toBe('from outside\n');
  });
});

describe('a write that was blocked', () => {
  test('to a file outside is asked for by exactly its path, and made in the second attempt', async () => {
    const runtime = sandboxedRuntime({ answers: ['once'] });
    const file = path.join(runtime.userHome, '.profile');
    for (const name of ['.profile', '.bashrc']) writeFileSync(path.join(runtime.userHome, name), 'old\n');
    const { header } = await runtime.sh('echo new >> ~/.profile && echo new >> ~/.bashrc');
    expect(denialsIn(runtime)[0]).toEqual({ attempt: 1, kind: 'write', target: file, proof: 'counterfactual' });
    expect(permissions(runtime)).toEqual([{ confined: true, grants: [{ kind: 'write', path: file }] }]);
    expect(runtime.questions[0]?.proposal).toEqual([{ kind: 'write', path: file }]);
    expect(readFileSync(file, 'utf8')).toBe('old\nnew\n');
    // What lies beside it stays closed.
    expect(header).toContain('exited with code 1');
    expect(readFileSync(path.join(runtime.userHome, '.bashrc'), 'utf8')).toBe('old\n');
  });

  test('to a file that is to be made is asked for by its folder', async () => {
    const runtime = sandboxedRuntime({ answers: ['once'] });
    const folder = path.join(runtime.userHome, 'notes');
    mkdirSync(folder);
    const { header } = await runtime.sh('touch ~/notes/today && touch ~/other');
    expect(permissions(runtime)).toEqual([{ confined: true, grants: [{ kind: 'write', path: folder }] }]);
    expect(readdirSync(folder)).toEqual(['today']);
    expect(header).toContain('exited with code 1');
    expect(readdirSync(runtime.userHome)).toEqual(['notes']);
  });

  test('a right to a whole home does not uncover what is hidden in it', async () => {
    const runtime = sandboxedRuntime({ answers: ['once'] });
    mkdirSync(path.join(runtime.userHome, '.ssh'));
    writeFileSync(path.join(runtime.userHome, '.ssh/id'), 'secret\n');
    const { body } = await runtime.sh('touch ~/new && { cat ~/.ssh/id; echo x > ~/.ssh/new; }');
    expect(attemptsIn(runtime)).toHaveLength(2);
    expect(readdirSync(runtime.userHome).toSorted()).toEqual(['.ssh', 'new']);
    expect(body).not.toContain('secret');
    expect(readdirSync(path.join(runtime.userHome, '.ssh'))).toEqual(['id']);
  });

  test('to .git/config is asked for by exactly its path', async () => {
    const runtime = sandboxedRuntime({ answers: ['once'] });
    const config = repository(runtime);
    const { header } = await runtime.sh('echo "[own]" >> .git/config && echo x > .git/hooks/post-commit');
    expect(denialsIn(runtime)[0]).toEqual({ attempt: 1, kind: 'write', target: config, proof: 'counterfactual' });
    expect(permissions(runtime)).toEqual([{ confined: true, grants: [{ kind: 'write', path: config }] }]);
    expect(readFileSync(config, 'utf8')).toMatch(/\[own\]\n$/);
    expect(header).toContain('exited with code 1');
    expect(existsSync(path.join(runtime.project, '.git/hooks/post-commit'))).toBe(false);
  });

  test('by git config works in the second attempt', async () => {
    const runtime = sandboxedRuntime({ answers: ['once'] });
    const config = repository(runtime);
    const { header } = await runtime.sh('git config own.key value');
    expect(runtime.questions).toHaveLength(1);
    expect(header).toContain('exited with code 0');
    expect(readFileSync(config, 'utf8')).toContain('key = value');
  });

  test('by git commit works in the second attempt', async () => {
    const runtime = sandboxedRuntime({ answers: ['once'] });
    repository(runtime);
    const { header, text } = await runtime.sh('echo x > a && git add a && git commit -qm one');
    expect({ text, asked: runtime.questions.length }).toMatchObject({ asked: 1 });
    expect(header).toContain('exited with code 0');
    expect(execFileSync('git', ['log', '--format=%s'], { cwd: runtime.project }).toString()).toBe('one\n');
  });

  test('is exactly known when paths are watched, also from a program that says nothing', async () => {
    const runtime = sandboxedRuntime({ answers: ['once'], sandbox: { watchPaths: true } });
    const file = path.join(runtime.userHome, 'file');
    writeFileSync(file, 'old\n');
    const { header } = await runtime.sh('echo new 2> /dev/null > ~/file 2> /dev/null');
    expect(denialsIn(runtime)).toEqual([{ attempt: 1, kind: 'write', target: file, proof: 'kernel' }]);
    expect(header).toContain('exited with code 0');
    expect(readFileSync(file, 'utf8')).toBe('new\n');
  });

  test('a no leaves the first result standing', async () => {
    const runtime = sandboxedRuntime({ answers: ['deny'] });
    writeFileSync(path.join(runtime.userHome, 'file'), 'old\n');
    const { header, body, result } = await runtime.sh('echo new > ~/file');
    expect(result.outcome.kind).toBe('completed');
    expect(header).toContain('exited with code 1');
    expect(body).toMatch(/Read-only file system\n\[tenon: the sandbox blocked: write .*\/home\/file\]\n$/);
    expect(readFileSync(path.join(runtime.userHome, 'file'), 'utf8')).toBe('old\n');
    expect(attemptsIn(runtime)).toHaveLength(1);
  });
});

describe('an ordinary failure is no denial, and nobody is asked', () => {
  test.each([
    'echo "permission denied" >&2; exit 1',
    'echo "Operation not permitted" >&2; exit 1',
    'echo "touch: cannot touch foo: Read-only file system"; exit 1',
    'echo "npm error sandbox seccomp landlock" >&2; exit 1',
    'echo "Could not resolve host: example.com" >&2; exit 6',
    'ls /root/none',
    'cat /etc/no-such-file',
    'cat /etc/no-such/file > copy',
    'mkdir a && rmdir a/b',
    'touch made && chmod a-rwx made && ./made',
    'curl -sS http://127.0.0.1:9/',
    'curl -sS http://localhost:9/',
    'kill -9 $$',
    'no-such-program-here',
    'false',
  ])('%s', async (cmd) => {
    const runtime = sandboxedRuntime({ answers: ['once'] });
    const { header, body } = await runtime.sh(cmd);
    expect(header).not.toContain('exited with code 0');
    expect(body).not.toContain('[tenon:');
    expect(denialsIn(runtime).filter((each) => (each as { proof: string }).proof !== 'inferred')).toEqual([]);
    expect([runtime.questions, attemptsIn(runtime).length]).toEqual([[], 1]);
  });
});

describe('rules over files hold for what a command opens by itself', () => {
  test('a file that must not be read is not there for it', async () => {
    const runtime = sandboxedRuntime({
      answers: ['once'],
      ruleFile: '[[path]]\nread = ["HOME/key.pem", "PROJECT/private"]\ndecision = "forbidden"\n',
    });
    writeFileSync(path.join(runtime.userHome, 'key.pem'), 'secret\n');
    mkdirSync(path.join(runtime.project, 'private'));
    writeFileSync(path.join(runtime.project, 'private/note'), 'secret\n');
    const { body } = await runtime.sh(
      'F=~/key.pem; D=private; cat "$F"; cp "$F" copy; ln "$F" link; cat copy link; ls -A "$D"; cat "$D"/note; echo end',
    );
    expect(body).not.toContain('secret');
    expect(body).toContain('end\n');
    expect(runtime.questions).toEqual([]);
  });

  test('a file that must not be written is read-only for it, and cannot be asked for', async () => {
    const runtime = sandboxedRuntime({
      answers: ['once'],
      ruleFile: '[[path]]\nwrite = ["PROJECT/kept.txt"]\ndecision = "forbidden"\n',
    });
    const file = path.join(runtime.project, 'kept.txt');
    writeFileSync(file, 'old\n');
    const { header } = await runtime.sh('F=kept.txt; cat "$F" && echo new > "$F"');
    expect(header).toContain('exited with code 1');
    await runtime.sh('F=kept.txt; unlink "$F"; touch other; mv -f other "$F"; mv "$F" away; exit 0');
    expect(readFileSync(file, 'utf8')).toBe('old\n');
    expect([runtime.questions, attemptsIn(runtime).length]).toEqual([[], 2]);
  });

  test('a rule with a wildcard cannot be handed over, so somebody is asked about a file nobody knows', async () => {
    const runtime = sandboxedRuntime({ ruleFile: '[[path]]\nread = ["**/*.key"]\ndecision = "forbidden"\n' });
    const { result } = await runtime.sh('F=a.key; cat "$F"');
    expect(result.outcome).toMatchObject({ kind: 'rejected', by: 'user' });
    expect(runtime.questions).toHaveLength(1);
  });
});

/** Makes the project a repository; its configuration file. */
function repository({ project }: SandboxedRuntime): string {
  execFileSync('git', ['init', '-q', '-b', 'main', project]);
  execFileSync('git', ['-C', project, 'config', 'user.name', 'Test']);
  execFileSync('git', ['-C', project, 'config', 'user.email', 'test@example.com']);
  return path.join(project, '.git/config');
}
