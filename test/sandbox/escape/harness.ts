/**
 * Runs every row in one backend and prints what came of each, as whoever starts it. It is bundled into one file so that
 * somebody without rights can run it, who could perhaps not even read the sources.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';

import { makeGrounds } from './grounds.js';
import type { Grounds, Surroundings } from './grounds.js';
import { runInner } from './inner.js';
import { PROGRAM_OF_ROOT, makeRoot } from './programs.js';
import { finding } from './row.js';
import type { BackendUnderTest, Finding, Outcome, ProbeRow, Row, Stand } from './row.js';
import { rowsOf } from './rows.js';
import { tryInside } from './try-inside.js';

export type HarnessReport = {
  readonly works: string;
  readonly rows: Readonly<Record<string, Outcome>>;
};

async function main(): Promise<void> {
  const [, , backend = '', top = '', ...only] = process.argv;
  const stand: Stand = { backend: backend as BackendUnderTest, isRoot: process.getuid?.() === 0 };
  const surroundings = await openSurroundings(top);
  try {
    const works = await whetherItWorks(makeGrounds(top, 'probe', stand, surroundings), stand);
    const rows: Record<string, Outcome> = {};
    const wanted = rowsOf(stand.backend).filter(({ id }) => only.length === 0 || only.includes(id));
    const shared = makeGrounds(top, 'shared', stand, surroundings);
    await eachOf(works === '' ? wanted : [], async (row) => {
      const grounds = onlyCalls(row) ? shared : makeGrounds(top, row.id, stand, surroundings);
      rows[row.id] = await outcomeOf(row, grounds, stand);
      if (grounds !== shared) await grounds.close();
    });
    await shared.close();
    const report: HarnessReport = { works, rows };
    fs.writeFileSync(path.join(top, `${backend}.json`), JSON.stringify(report));
  } finally {
    surroundings.close();
  }
}

/** Most of a row is waiting, so a few go on at once. */
async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

const AT_ONCE = 4;

async function whetherItWorks(grounds: Grounds, stand: Stand): Promise<string> {
  if (stand.backend === 'chroot' && !makeRoot(grounds.root)) return 'there is no busybox to make a root folder of';
  const [probed] = await grounds.sandbox().probe([stand.backend]);
  await grounds.close();
  return probed?.works ? '' : (probed?.reason ?? 'there is no such backend');
}

function onlyCalls(row: Row): boolean {
  return 'tries' in row && row.prepare === undefined && row.after === undefined;
}

async function outcomeOf(row: Row, grounds: Grounds, stand: Stand): Promise<Outcome> {
  try {
    return 'tries' in row ? await probeRow(row, grounds, stand) : await row.story(grounds, stand);
  } catch (error) {
    return [finding('the row itself', error instanceof Error ? error.stack : error, 'no error')];
  }
}

async function probeRow(row: ProbeRow, grounds: Grounds, stand: Stand): Promise<readonly Finding[]> {
  row.prepare?.(grounds);
  const found = await tryInside(grounds, stand, row.tries(grounds));
  return [...found, ...(row.after?.(grounds, stand) ?? [])];
}

async function openSurroundings(top: string): Promise<Surroundings & { close(): void }> {
  const victim = spawn('sleep', ['1000'], { stdio: 'ignore' });
  // As long as a name can be, since a shorter one is filled up by some.
  const abstractName = `tenon-escape-${process.pid}-`.padEnd(107, 'x');
  const socket = path.join(top, `${process.pid}.sock`);
  const servers = await Promise.all([listening({ port: 0, host: '127.0.0.1' }), listening({ path: socket })]);
  const [server] = servers;
  const named = await listening({ path: `\0${abstractName}` });
  const address = server.address();
  return {
    victim: victim.pid ?? 0,
    port: typeof address === 'object' && address !== null ? address.port : 0,
    socket,
    abstractName,
    programOfRoot: path.join(path.dirname(top), PROGRAM_OF_ROOT),
    root: path.join(top, 'root'),
    close() {
      victim.kill('SIGKILL');
      for (const each of [...servers, named]) each.close();
    },
  };
}

function listening(where: net.ListenOptions): Promise<net.Server> {
  return new Promise((resolve, reject) => {
    const server = net.createServer((connection) => connection.on('error', () => {}).end('REACHED'));
    server.once('error', reject);
    server.listen(where, () => resolve(server));
  });
}

const [, , mode, folder = '', other = ''] = process.argv;
await (mode === 'inner' ? runInner(folder, other) : main());
