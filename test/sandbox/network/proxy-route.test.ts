import { describe, expect, test } from 'vitest';

import { hostList } from '../../../src/sandbox/network/host-list.js';
import type { RunOptions } from '../../../src/sandbox/network/runs.js';
import { say, startOrigin, startProxy, startEcho, talkTo } from './proxy-fixture.js';

/** What production does: only what is listed itself may be private. */
function strict(allowed: readonly string[]): Partial<RunOptions> {
  return { allowsPrivate: hostList(allowed).allowsPrivate };
}

async function ask(port: number, login: string, authority: string): Promise<string> {
  return say(port, `GET http://${authority}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${login}\r\n`);
}

describe('an allowed name that leads to a private address', () => {
  test.each([
    [['127.0.0.1']],
    [['10.1.2.3']],
    [['169.254.169.254']],
    [['::1']],
    [['fd00:ec2::254']],
    [['::ffff:127.0.0.1']],
    [['64:ff9b::7f00:1']],
    [['93.184.216.34', '127.0.0.1']],
    [['127.0.0.1', '93.184.216.34']],
    [['not an address']],
  ])('%j is refused', async (addresses) => {
    const { port, openRun } = await startProxy({ resolve: () => Promise.resolve(addresses) });
    const run = openRun(['listed.example'], strict(['listed.example']));
    const answer = await ask(port, run.login, 'listed.example:8080');
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(answer).toContain('listed.example:8080 leads to a private address\n');
    expect(run.refusals).toEqual([{ host: 'listed.example', port: 8080, reason: 'private-address' }]);
  });

  test('is refused by default', async () => {
    const { proxy, port } = await startProxy();
    const { token } = proxy.open({ allows: () => true, onRefused: () => {} });
    const login = `Proxy-Authorization: Basic ${Buffer.from(`:${token}`).toString('base64')}\r\n`;
    expect(await ask(port, login, 'listed.example')).toContain('403 Forbidden');
  });

  test('is refused although every host is allowed', async () => {
    const { port, openRun } = await startProxy();
    const run = openRun(['*'], strict(['*']));
    for (const host of ['127.0.0.1', 'localhost', 'a.example', '[::ffff:a00:1]']) {
      expect(await ask(port, run.login, host)).toContain('403 Forbidden');
    }
    expect(run.refusals.map(({ host, reason }) => `${host} ${reason}`)).toEqual([
      '127.0.0.1 private-address',
      'localhost private-address',
      'a.example private-address',
      '10.0.0.1 private-address',
    ]);
  });

  test('is reached when it is an address, or localhost, that is listed itself', async () => {
    const origin = await startOrigin();
    const { port, openRun } = await startProxy();
    const run = openRun(['127.0.0.1', 'localhost'], strict(['127.0.0.1', 'localhost']));
    for (const host of ['127.0.0.1', 'localhost', '2130706433']) {
      expect(await ask(port, run.login, `${host}:${origin.port}`)).toContain('200 OK');
    }
  });
});

test('a name is looked up once, and what was found is what is connected to', async () => {
  const origin = await startOrigin();
  const answers = [['127.0.0.1'], ['127.0.0.2']];
  const asked: string[] = [];
  const { port, openRun } = await startProxy({
    resolve: (host) => {
      asked.push(host);
      return Promise.resolve(answers.shift() ?? []);
    },
  });
  expect(await ask(port, openRun(['listed.example']).login, `Listed.Example.:${origin.port}`)).toContain('200 OK');
  expect(asked).toEqual(['listed.example']);
});

test('a host that is not allowed is not even looked up', async () => {
  const asked: string[] = [];
  const { port, openRun } = await startProxy({
    resolve: (host) => {
      asked.push(host);
      return Promise.resolve(['127.0.0.1']);
    },
  });
  await ask(port, openRun(['listed.example']).login, 'secret.evil.com');
  expect(asked).toEqual([]);
});

test('the next address is tried when one does not answer', async () => {
  const origin = await startOrigin();
  const { port, openRun } = await startProxy({ resolve: () => Promise.resolve(['127.0.0.2', '127.0.0.1']) });
  expect(await ask(port, openRun(['listed.example']).login, `listed.example:${origin.port}`)).toContain('200 OK');
});

test('the system knows localhost', async () => {
  const origin = await startOrigin();
  const { port, openRun } = await startProxy({ resolve: undefined } as object);
  expect(await ask(port, openRun(['localhost']).login, `localhost:${origin.port}`)).toContain('200 OK');
});

describe('when somebody is asked', () => {
  type Question = {
    readonly host: string;
    readonly port: number;
    readonly gone: AbortSignal;
    readonly answer: (yes: boolean) => void;
  };

  async function startAsking() {
    const questions: Question[] = [];
    let wake = (): void => {};
    const started = await startProxy();
    const run = started.openRun([], {
      allows: (host, port, gone) =>
        new Promise((resolve) => {
          questions.push({ host, port, gone, answer: resolve });
          wake();
        }),
    });
    const nextQuestion = async (): Promise<Question> => {
      while (questions.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return questions.shift() as Question;
    };
    return { ...started, run, nextQuestion };
  }

  test('the client waits for the answer', async () => {
    const origin = await startOrigin();
    const { port, run, nextQuestion } = await startAsking();
    const yes = ask(port, run.login, `a.example:${origin.port}`);
    const { host, port: asked, answer } = await nextQuestion();
    expect({ host, asked }).toEqual({ host: 'a.example', asked: origin.port });
    answer(true);
    expect(await yes).toContain('200 OK');
    const no = ask(port, run.login, 'b.example');
    (await nextQuestion()).answer(false);
    expect(await no).toContain('403 Forbidden');
    expect(run.refusals).toEqual([{ host: 'b.example', port: 80, reason: 'not-listed' }]);
  });

  test.each([
    ['breaks off', 'GET http://a.example/ HTTP/1.1\r\nHost: x\r\n', 'destroy'],
    ['says goodbye', 'GET http://a.example/ HTTP/1.1\r\nHost: x\r\n', 'end'],
    ['breaks off', 'CONNECT a.example:443 HTTP/1.1\r\n', 'destroy'],
    ['says goodbye', 'CONNECT a.example:443 HTTP/1.1\r\n', 'end'],
  ] as const)('the question is withdrawn when the client %s: %j', async (_, head, leave) => {
    const { port, run, nextQuestion } = await startAsking();
    const talk = await talkTo(port);
    talk.socket.write(`${head}${run.login}\r\n`);
    const { gone, answer } = await nextQuestion();
    const withdrawn = new Promise((resolve) => gone.addEventListener('abort', resolve));
    talk.socket[leave]();
    await withdrawn;
    answer(true);
    expect(run.refusals).toEqual([]);
  });

  test('the question is withdrawn when the run is over', async () => {
    const { port, run, nextQuestion } = await startAsking();
    const asked = ask(port, run.login, 'a.example');
    const { gone } = await nextQuestion();
    const withdrawn = new Promise((resolve) => gone.addEventListener('abort', resolve));
    run.close();
    await withdrawn;
    expect(await asked).toBe('');
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['fails', () => Promise.reject(new Error('broken'))],
  ])('who %s has not allowed anything', async (_, allows) => {
    const { port, openRun } = await startProxy();
    const run = openRun([], { allows });
    expect(await ask(port, run.login, 'a.example')).toContain('403 Forbidden');
    expect(run.refusals).toHaveLength(1);
  });

  test('who cannot be told does not keep the client from its answer', async () => {
    const { port, openRun } = await startProxy();
    const onRefused = (): never => {
      throw new Error('broken');
    };
    expect(await ask(port, openRun([], { onRefused }).login, 'a.example')).toContain('403 Forbidden');
  });
});

describe('there is an end to', () => {
  test('the number of connections', async () => {
    const echo = await startEcho();
    const { port, openRun } = await startProxy({ limits: { connections: 1 } });
    const { login } = openRun(['a.example']);
    const first = await talkTo(port);
    first.socket.write(`CONNECT a.example:${echo} HTTP/1.1\r\n${login}\r\n`);
    await first.hears('200');
    const second = await talkTo(port);
    expect(await second.rest()).toBe('');
  });

  test.each([
    ['before the first byte', ''],
    ['in the middle of a request', 'GET http://a.exa'],
    ['in the middle of SOCKS', '\u0005'],
  ])('silence %s', async (_, said) => {
    const { port } = await startProxy({ limits: { idleMs: 50, helloMs: 50 } });
    expect(await say(port, said)).toBe('');
  });

  test('silence in a tunnel', async () => {
    const echo = await startEcho();
    const { port, openRun } = await startProxy({ limits: { idleMs: 500 } });
    expect(await say(port, `CONNECT a.example:${echo} HTTP/1.1\r\n${openRun(['a.example']).login}\r\n`)).toContain(
      '200',
    );
  });
});

test('closing the proxy ends every connection and stops listening', async () => {
  const echo = await startEcho();
  const { proxy, port, openRun } = await startProxy();
  const talk = await talkTo(port);
  talk.socket.write(`CONNECT a.example:${echo} HTTP/1.1\r\n${openRun(['a.example']).login}\r\n`);
  await talk.hears('200');
  const silent = await talkTo(port);
  await proxy.close();
  await Promise.all([talk.rest(), silent.rest()]);
  await expect(talkTo(port)).rejects.toThrow('ECONNREFUSED');
  await proxy.close();
});
