import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { RequestListener } from 'node:http';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, onTestFinished, test } from 'vitest';

import { createHttpClient } from '../../src/http/http-client.js';
import { tempFolder } from '../support/temp-folder.js';
import { forwardProxy, httpServer, listening } from './servers.js';
import type { TestServer } from './servers.js';

/** Asks for each address it is given, one after the other, and prints what came. */
const PROGRAM = `
  import { createHttpClient } from './src/http/http-client.ts';
  import { readText } from './src/http/read-text.ts';
  const http = createHttpClient({ env: process.env });
  const { signal } = new AbortController();
  for (const url of process.argv.slice(2)) {
    try {
      const { chunks } = await http.get({ url, headers: {}, idleMs: 5000, signal });
      console.log(await readText(chunks, 1000));
    } catch (error) {
      console.log(error.message);
    }
  }
  http.close();
`;

// Certificates are made with the program that everybody has for it; where it is missing there is nothing to test with.
describe.skipIf(!hasOpenssl())('TLS', () => {
  test('a certificate that nobody trusted is refused, with what to do', async () => {
    const server = await tlsServer(makeCertificate(tempFolder()));
    await expect(get(server.origin)).rejects.toMatchObject({
      kind: 'unreachable',
      message:
        `cannot reach ${server.origin} (its certificate is signed by somebody unknown): if you trust whoever signed it, ` +
        'put the certificate into a file and name that in NODE_EXTRA_CA_CERTS',
    });
  });

  test('plain HTTP where TLS is spoken breaks off', async () => {
    const server = await tlsServer(makeCertificate(tempFolder()));
    await expect(get(server.origin.replace('https:', 'http:'))).rejects.toMatchObject({ kind: 'closed' });
  });

  test('TLS where plain HTTP is spoken says so', async () => {
    const { port } = await httpServer((_, response) => void response.end());
    await expect(get(`https://127.0.0.1:${port}`)).rejects.toMatchObject({
      kind: 'unreachable',
      message: `cannot reach https://127.0.0.1:${port} (it does not speak TLS): is it http:// rather than https://?`,
    });
  });

  test('a trusted server is reached straight and through a tunnel, each over one connection', async () => {
    const folder = tempFolder();
    const certificate = makeCertificate(folder);
    const server = await tlsServer(certificate, (request, response) => void response.end(request.headers.host));
    const proxy = await forwardProxy(server.port);
    const env = { NODE_EXTRA_CA_CERTS: certificate.file, HTTPS_PROXY: proxy.origin };
    const through = ['https://far.test/a', 'https://far.test/b', 'https://stranger.test/'];
    const lines = await run(folder, [server.origin, server.origin, ...through], env);
    expect(lines).toEqual([
      `127.0.0.1:${server.port}`,
      `127.0.0.1:${server.port}`,
      'far.test',
      'far.test',
      'cannot reach https://stranger.test (its certificate is for another host): use the name that the certificate is for',
    ]);
    expect(proxy.seen).toEqual(['CONNECT far.test:443', 'CONNECT stranger.test:443']);
    expect(server.connections()).toBe(3);
  });
});

type Certificate = { readonly key: string; readonly cert: string; readonly file: string };

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function makeCertificate(folder: string): Certificate {
  const [keyFile, file] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
  const names = 'subjectAltName=IP:127.0.0.1,DNS:far.test';
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const made = ['-days', '2', '-subj', '/CN=tenon test', '-addext', names, '-keyout', keyFile, '-out', file];
  execFileSync('openssl', ['req', '-x509', ...curve, ...made], { stdio: 'ignore' });
  return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(file, 'utf8'), file };
}

function tlsServer({ key, cert }: Certificate, listener: RequestListener = () => {}): Promise<TestServer> {
  return listening(createServer({ key, cert }, listener), 'https');
}

function get(url: string): Promise<unknown> {
  const http = createHttpClient({ env: {} });
  onTestFinished(() => http.close());
  return http.get({ url, headers: {}, idleMs: 5000, signal: new AbortController().signal });
}

/** A program of its own, because Node reads which certificates to trust when it starts. */
async function run(folder: string, urls: readonly string[], env: Record<string, string>): Promise<readonly string[]> {
  const outfile = path.join(folder, 'ask.mjs');
  const root = path.join(import.meta.dirname, '../..');
  await build({
    stdin: { contents: PROGRAM, resolveDir: root, loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  const { stdout } = await promisify(execFile)(process.execPath, [outfile, ...urls], { env });
  return stdout.trim().split('\n');
}
