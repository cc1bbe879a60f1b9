import { createServer } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { propertyRuns } from '../../support/property-runs.js';
import { clientHello, listen, say, startEcho, startOrigin, startParent, startProxy, talkTo } from './proxy-fixture.js';

/** A proxy with a door for a port of hosts, behind which everything is at `upstream`. */
async function startDoor(port: number, upstream: number) {
  const parent = await startParent(upstream);
  const { proxy, openRun } = await startProxy({ upstream: parent.url });
  const server = createServer();
  proxy.serveDirect(server, port);
  return { door: await listen(server), openRun, reached: () => parent.heads.map((head) => head.split('\r\n', 1)[0]) };
}

const get = (host: string) => `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;

describe('a program that knows of no proxy', () => {
  test('reaches an allowed host that it names in its request', async () => {
    const { door, openRun, reached } = await startDoor(80, (await startOrigin()).port);
    openRun(['example.com']);
    expect(await say(door, get('Example.com'))).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*seen Example\.com\//);
    expect(reached()).toEqual(['CONNECT example.com:80 HTTP/1.1']);
  });

  test('reaches an allowed host that it names in TLS, and what it said is passed on whole', async () => {
    const { door, openRun, reached } = await startDoor(443, await startEcho());
    openRun(['example.com']);
    const hello = await clientHello('example.com');
    const talk = await talkTo(door);
    talk.socket.write(hello.subarray(0, 20));
    talk.socket.end(hello.subarray(20));
    expect(await talk.rest()).toBe(hello.toString('latin1'));
    expect(reached()).toEqual(['CONNECT example.com:443 HTTP/1.1']);
  });

  test.each([
    ['another host', get('evil.example'), { host: 'evil.example', port: 80, reason: 'not-listed' }],
    ['a name that only begins like it', get('example.com.evil.org'), { host: 'example.com.evil.org' }],
  ])('is refused %s, which is told', async (_, request, refusal) => {
    const { door, openRun, reached } = await startDoor(80, (await startOrigin()).port);
    const { refusals } = openRun(['example.com']);
    expect(await say(door, request)).toMatch(/^HTTP\/1\.1 403 /);
    expect({ refusals, reached: reached() }).toMatchObject({ refusals: [refusal], reached: [] });
  });

  test.each([
    ['another port', get('example.com:8080')],
    ['two hosts', 'GET / HTTP/1.1\r\nHost: example.com\r\nHost: example.com\r\n\r\n'],
    ['no host', 'GET / HTTP/1.1\r\nX: y\r\n\r\n'],
    ['somebody at a host', get('user@example.com')],
    ['an endless head', `GET / HTTP/1.1\r\n${'x'.repeat(20_000)}`],
  ])('gets no answer when it names %s', async (_, request) => {
    const { door, openRun, reached } = await startDoor(80, (await startOrigin()).port);
    openRun(['*']);
    expect(await say(door, request)).toBe('');
    expect(reached()).toEqual([]);
  });

  test('gets no answer without a server name, or without TLS', async () => {
    const { door, openRun, reached } = await startDoor(443, await startEcho());
    openRun(['*']);
    expect([await say(door, await clientHello(undefined)), await say(door, get('example.com'))]).toEqual(['', '']);
    expect(reached()).toEqual([]);
  });

  test('reaches only what every command allows that it may belong to', async () => {
    const { door, openRun } = await startDoor(80, (await startOrigin()).port);
    const [one, other] = [openRun(['example.com']), openRun(['example.org'])];
    expect(await say(door, get('example.com'))).toMatch(/^HTTP\/1\.1 403 /);
    expect([one.refusals.length, other.refusals.length]).toEqual([1, 1]);
    other.close();
    expect(await say(door, get('example.com'))).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('reaches nothing when there is no command at all', async () => {
    const { door, openRun, reached } = await startDoor(80, (await startOrigin()).port);
    openRun(['*']).close();
    expect(await say(door, get('example.com'))).toBe('');
    expect(reached()).toEqual([]);
  });

  test('whatever it says reaches no host that is not allowed', async () => {
    const { door, openRun, reached } = await startDoor(80, (await startOrigin()).port);
    openRun([]);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const talk = await talkTo(door);
        talk.socket.end(Buffer.concat([Buffer.from(bytes), Buffer.from('\r\n\r\n')]));
        await talk.rest();
        expect(reached()).toEqual([]);
      }),
      propertyRuns(50),
    );
  });
});
