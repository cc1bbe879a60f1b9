/** Bundles the harness and runs it as root, where the tests are root, and as somebody without rights. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

import type { HarnessReport } from './harness.js';
import { leaveProgramOfRoot } from './programs.js';
import type { BackendUnderTest } from './row.js';

export type HarnessUser = { readonly name: string; readonly id?: number };

const NOBODY = 65_534;
/** Everybody can make folders there, and hardly anybody does while the tests run. */
const PLACE = '/var/tmp';

/** Root tries everything twice, the second time as somebody without rights. */
export const USERS: readonly HarnessUser[] =
  process.getuid?.() === 0 ? [{ name: 'root' }, { name: 'a plain user', id: NOBODY }] : [{ name: 'a plain user' }];

export type Harness = {
  readonly run: (user: HarnessUser, backend: BackendUnderTest) => Promise<HarnessReport>;
  readonly remove: () => void;
};

export async function bundleHarness(): Promise<Harness> {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(PLACE, 'tenon-escape-')));
  fs.chmodSync(folder, 0o755);
  if (process.getuid?.() === 0) leaveProgramOfRoot(folder);
  // The folder of a program is protected, so no workspace may lie in it.
  const file = path.join(folder, 'program', 'harness.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('harness.ts', import.meta.url))],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['@lydell/node-pty', 'esbuild'],
    logLevel: 'error',
  });
  return {
    run: (user, backend) => runBundle(file, user, backend),
    remove: () => fs.rmSync(folder, { recursive: true, force: true }),
  };
}

async function runBundle(file: string, user: HarnessUser, backend: BackendUnderTest): Promise<HarnessReport> {
  const top = path.join(path.dirname(path.dirname(file)), `${user.id ?? 'own'}-${backend}`);
  const home = path.join(top, 'user');
  fs.mkdirSync(home, { recursive: true });
  if (user.id !== undefined) for (const each of [top, home]) fs.chownSync(each, user.id, user.id);
  const become =
    user.id === undefined ? [] : ['setpriv', '--reuid', `${user.id}`, '--regid', `${user.id}`, '--clear-groups', '--'];
  const only = process.env['TENON_ESCAPE_ROWS']?.split(',') ?? [];
  const argv = [...become, process.execPath, file, backend, top, ...only];
  await finished(argv, {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    ...SECRETS,
    ...deep(),
  });
  return JSON.parse(fs.readFileSync(path.join(top, `${backend}.json`), 'utf8')) as HarnessReport;
}

/** What must not be found inside. */
const SECRETS = { OPENAI_API_KEY: 'SECRET-KEY', GITHUB_TOKEN: 'SECRET-KEY', MY_PASSWORD: 'SECRET-KEY' };

function deep(): Record<string, string> {
  const { TENON_DEEP } = process.env;
  return TENON_DEEP === undefined ? {} : { TENON_DEEP };
}

function finished([file = '', ...args]: readonly string[], env: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: '/', env, stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('error', reject);
    child.once('close', (code, signal) =>
      code === 0 ? resolve() : reject(new Error(`the harness ended with ${code ?? signal}`)),
    );
  });
}
