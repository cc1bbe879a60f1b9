/** What the sandbox blocked is found, asked about, and given in a second attempt; what it did not block is left alone. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { isInstalled } from '../../support/installed.js';
import { OTHER_LOOPBACK, loopbackServer } from '../../support/loopback-server.js';
import { attemptsIn, denialsIn, permissionsAsked, sandboxedRuntime } from '../../support/sandboxed.js';

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

describe('a connection that was blocked is found without a word of it in the output', () => {
  test.for(CONNECTIONS)('%s', async ([cmd, proof], { skip }) => {
    skip(cmd.startsWith('wget') && !isInstalled('wget'), 'wget is not installed');
    const runtime = sandboxedRuntime();
    const { header, body } = await runtime.sh(cmd);
    expect(header).not.toContain('exited with code 0');
    const note = `[tenon: the sandbox blocked: connect ${HOST}]\n`;
    expect(body.endsWith(note)).toBe(true);
    expect(body.slice(0, -note.length)).not.toMatch(/sandbox|tenon:|not permitted|permission|blocked/i);
    expect(denialsIn(runtime)).toEqual([{ attempt: 1, kind: 'connect', target: HOST, proof }]);
    expect(permissionsAsked(runtime)).toEqual([{ confined: true, grants: [{ kind: 'connect', host: HOST }] }]);
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
    expect(permissionsAsked(runtime)).toEqual([{ confined: true, grants: [{ kind: 'connect', host: '192.0.2.7' }] }]);
  });

  test('several hosts are one question', async () => {
    const runtime = sandboxedRuntime();
    await runtime.sh('curl -sf https://a.example/; curl -sf https://b.example/');
    const grants = ['a.example', 'b.example'].map((host) => ({ kind: 'connect', host }));
    expect(permissionsAsked(runtime)).toEqual([{ confined: true, grants }]);
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
    expect(permissionsAsked(runtime)).toEqual([given]);
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
    expect(permissionsAsked(runtime)).toEqual([{ confined: true, grants: [{ kind: 'connect', host: 'localhost' }] }]);
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

describe('an ordinary failure is no denial, and nobody is asked', () => {
  test.each([
    'echo "permission denied" >&2; exit 1',
    'echo "Operation not permitted" >&2; exit 1',
    'echo "touch: cannot touch foo: Read-only file system"; exit 1',
    'echo "npm error sandbox seccomp landlock" >&2; exit 1',
    'echo "Could not resolve host: example.com" >&2; exit 6',
    'ls /nowhere/none',
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
    expect(denialsIn(runtime).filter(({ proof }) => proof !== 'inferred')).toEqual([]);
    expect([runtime.questions, attemptsIn(runtime).length]).toEqual([[], 1]);
  });
});
