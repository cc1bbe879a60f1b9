/** Allowed hosts and the user's rules hold for what a command does by itself, not only for what its words say. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { OTHER_LOOPBACK, loopbackServer } from '../../support/loopback-server.js';
import { attemptsIn, denialsIn, permissionsAsked, sandboxedRuntime } from '../../support/sandboxed.js';

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
    expect(permissionsAsked(runtime)).toEqual([
      { confined: true, grants: [{ kind: 'connect', host: OTHER_LOOPBACK }] },
    ]);
    expect(body).toBe('from outside\n');
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
