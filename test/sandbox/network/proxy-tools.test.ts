/** The proxy as real programs use it, by nothing but their environment. */
import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';

import { proxyEnvironment } from '../../../src/sandbox/network/proxy-environment.js';
import { tempFolder } from '../../support/temp-folder.js';
import { listen, startOrigin, startParent, startProxy } from './proxy-fixture.js';

const OPENSSL = 'openssl';

type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string };

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, [program === OPENSSL ? 'version' : '--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function start(file: string, args: readonly string[], env: Record<string, string>): Promise<Ran> {
  const home = tempFolder();
  return new Promise((resolve) => {
    execFile(
      file,
      args,
      { env: { PATH: process.env['PATH'], HOME: home, GIT_TERMINAL_PROMPT: '0', ...env }, timeout: 20_000 },
      (error, stdout, stderr) => resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
  });
}

function curl(args: readonly string[], env: Record<string, string>): Promise<Ran> {
  return start('curl', ['--silent', '--show-error', '--max-time', '15', ...args], env);
}

async function startTlsServer(): Promise<number> {
  const folder = tempFolder();
  const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
  execFileSync(
    OPENSSL,
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'].concat([
      '-subj',
      '/CN=listed.example',
      '-keyout',
      key,
      '-out',
      cert,
    ]),
    { stdio: 'ignore' },
  );
  const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    response.end(`safely ${request.headers.host}`);
  });
  onTestFinished(() => void server.close());
  return listen(server);
}

describe.skipIf(!isInstalled('curl'))('curl', () => {
  test('reaches an allowed host and prints why another is blocked', async () => {
    const origin = await startOrigin();
    const { port, openRun } = await startProxy();
    const { token, refusals } = openRun(['listed.example']);
    const env = proxyEnvironment(port, token);
    expect(await curl([`http://listed.example:${origin.port}/x`], env)).toMatchObject({
      code: 0,
      stdout: `seen listed.example:${origin.port}/x`,
    });
    expect(await curl(['http://evil.example/'], env)).toMatchObject({
      stdout: 'tenon: blocked by the sandbox: evil.example:80 is not an allowed host\n',
    });
    expect((await curl(['https://evil.example/'], env)).stderr).toContain('403');
    expect(refusals).toEqual([
      { host: 'evil.example', port: 80, reason: 'not-listed' },
      { host: 'evil.example', port: 443, reason: 'not-listed' },
    ]);
  });

  test('sends a large body through', async () => {
    const origin = await startOrigin();
    const { port, openRun } = await startProxy();
    const url = `http://listed.example:${origin.port}/`;
    const body = 'y'.repeat(100_000);
    await curl(['--header', 'Expect: 100-continue', '--data', body, url], proxyEnvironment(port, openRun(['*']).token));
    expect(origin.seen.map((seen) => seen.body === body)).toEqual([true]);
  });

  test('reaches its own machine without the proxy', async () => {
    const origin = await startOrigin();
    const { port, openRun } = await startProxy();
    const run = openRun([]);
    const { stdout } = await curl([`http://127.0.0.1:${origin.port}/`], proxyEnvironment(port, run.token));
    expect(stdout).toBe(`seen 127.0.0.1:${origin.port}/`);
    expect(run.refusals).toEqual([]);
  });

  test('goes through SOCKS by name', async () => {
    const origin = await startOrigin();
    const { port, openRun } = await startProxy();
    const { token, refusals } = openRun(['listed.example']);
    const proxy = ['--proxy', `socks5h://tenon:${token}@127.0.0.1:${port}`];
    expect((await curl([...proxy, `http://listed.example:${origin.port}/`], {})).stdout).toContain(
      'seen listed.example',
    );
    expect((await curl([...proxy, 'http://evil.example/'], {})).code).toBe(97);
    expect(refusals).toEqual([{ host: 'evil.example', port: 80, reason: 'not-listed' }]);
  });

  test.skipIf(!isInstalled(OPENSSL))('speaks TLS to the host it asked for, and to no other', async () => {
    const parent = await startParent(await startTlsServer());
    const { port, openRun } = await startProxy({ upstream: parent.url });
    const { token, refusals } = openRun(['listed.example']);
    const env = proxyEnvironment(port, token);
    expect(await curl(['--insecure', 'https://listed.example/'], env)).toMatchObject({
      code: 0,
      stdout: 'safely listed.example',
    });
    const other = ['--insecure', '--connect-to', 'evil.com:443:listed.example:443', 'https://evil.com/'];
    const tricked = await curl(other, env);
    expect(tricked.code).toBe(35);
    expect(refusals).toEqual([{ host: 'evil.com', port: 443, reason: 'wrong-server-name' }]);
  });
});

test.skipIf(!isInstalled('git'))('git, which waits to be asked for its password, is asked', async () => {
  const origin = await startOrigin();
  const { port, openRun } = await startProxy();
  const { token } = openRun(['listed.example']);
  await start('git', ['ls-remote', `http://listed.example:${origin.port}/repo.git`], proxyEnvironment(port, token));
  expect(origin.seen[0]?.url).toBe('/repo.git/info/refs?service=git-upload-pack');
});
