import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

import { scriptOf } from '../../store/lock-holder.js';
import { propertyRuns } from '../../support/property-runs.js';
import { allRefused, chosen, sessions, started } from './lines.js';
import type { Sessions } from './lines.js';

const inUse = (id: string, pid: number | undefined) =>
  `session ${id} is in use by process ${pid}; wait until that ends, or go on in a copy: tenon fork ${id}`;

const claimsOf = ({ folder }: Sessions) => readdirSync(path.join(folder, 'locks'));

/** Starts a program over `store`, in which `home` and `openSessions` are at hand. */
async function program(store: Sessions, code: string): Promise<ChildProcess> {
  const script = await scriptOf(`
    import { openSessions } from './src/journal/session/store.ts';
    const [, , home = ''] = process.argv;
    const store = openSessions({ home });
    ${code}`);
  const child = spawn(process.execPath, [script, store.home], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

const HOLD = `
  await store.open('a');
  setInterval(() => {}, 1000);
  console.log('mine');`;

async function holder(store: Sessions): Promise<ChildProcess> {
  const child = await program(store, HOLD);
  if (child.stdout) await once(child.stdout, 'data');
  return child;
}

async function killed(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'close');
}

test('a session is for one log at a time, also in one process', async () => {
  const store = sessions();
  const log = store.create({ id: 'a', cwd: '/project', version: '1' });
  log.append(chosen());
  await allRefused([store.open('a')], inUse('a', process.pid));
  log.close();
  const first = await store.open('a');
  await allRefused([store.open('a'), store.rename('a', 'name'), store.remove('a')], inUse('a', process.pid));
  first.log.close();
  const second = await store.open('a');
  expect(second.past).toEqual(first.past);
  // Once more is no harm: by now it is somebody else's.
  first.log.close();
  await allRefused([store.open('a')], inUse('a', process.pid));
  second.log.close();
  expect(claimsOf(store)).toEqual([]);
});

test('while another process has it, it is read, listed and copied, but not changed', async () => {
  const store = sessions();
  store.keep('a');
  const { pid } = await holder(store);
  await allRefused([store.open('a'), store.rename('a', 'name'), store.remove('a')], inUse('a', pid));
  await store.fork('a', { newId: 'b' });
  expect([await store.read('a'), await store.list()].map(({ length }) => length)).toEqual([2, 2]);
});

test('one whose id begins the same is another one', async () => {
  const store = sessions();
  for (const id of ['a', 'a.b', 'a-b', 'aa']) store.keep(id);
  await holder(store);
  for (const id of ['a.b', 'a-b', 'aa']) (await store.open(id)).log.close();
});

test('a process that was killed holds nobody up', async () => {
  const store = sessions();
  store.keep('a');
  await killed(await holder(store));
  expect(claimsOf(store)).toHaveLength(1);
  const { log } = await store.open('a');
  expect(claimsOf(store)).toHaveLength(1);
  log.close();
  expect(claimsOf(store)).toEqual([]);
});

test('a session that could not be opened is not held', async () => {
  const store = sessions();
  store.keep('a');
  writeFileSync(store.fileOf('a'), 'damaged\n');
  await expect(store.open('a')).rejects.toThrow('does not begin like a session');
  expect(claimsOf(store)).toEqual([]);
});

test('what is on another machine is taken for alive for a minute after its last touch', async () => {
  const store = sessions();
  store.keep('a');
  const elsewhere = `a~77.1.not_${hostname().replaceAll(/\W/g, '_')}.0`;
  const claim = path.join(store.folder, 'locks', elsewhere);
  writeFileSync(claim, '');
  await allRefused([store.open('a')], inUse('a', 77));
  const before = new Date(Date.now() - 61_000);
  utimesSync(claim, before, before);
  (await store.open('a')).log.close();
  expect(claimsOf(store)).toEqual([]);
});

test('who has a session touches its claim every 20 seconds, and then no more', async () => {
  const store = sessions();
  store.keep('a');
  // Its timers run when it is told so.
  const child = await program(
    store,
    `
    import { readdirSync, statSync, utimesSync } from 'node:fs';
    const timers = [];
    globalThis.setInterval = (tick, ms) => (timers.push({ tick, ms }), { unref: () => timers[0].unref = true });
    globalThis.clearInterval = () => timers.pop();
    const { log } = await store.open('a');
    const [name = ''] = readdirSync(home + '/sessions/locks');
    const claim = home + '/sessions/locks/' + name;
    utimesSync(claim, 0, 0);
    const [{ tick, ...timer }] = timers;
    tick();
    const touched = statSync(claim).mtimeMs > 0;
    log.close();
    tick();
    console.log(JSON.stringify({ timer, touched, left: [timers.length, readdirSync(home + '/sessions/locks').length] }));`,
  );
  const [said] = child.stdout ? ((await once(child.stdout, 'data')) as [Buffer]) : [];
  expect(JSON.parse(String(said))).toEqual({ timer: { ms: 20_000, unref: true }, touched: true, left: [0, 0] });
});

test('a process ends although it has a session', async () => {
  const store = sessions();
  store.keep('a');
  const script = await scriptOf(`
    import { openSessions } from './src/journal/session/store.ts';
    await openSessions({ home: process.argv[2] ?? '' }).open('a');`);
  await promisify(execFile)(process.execPath, [script, store.home]);
  (await store.open('a')).log.close();
});

test('processes that fight for a session never have it at once, and each gets it', async () => {
  const store = sessions();
  store.keep('a');
  const { numRuns } = propertyRuns(15, 300);
  // All try at the same moment. Who is inside makes a folder that only one can make, and takes it away at the end.
  const code = `
    import { mkdirSync, rmdirSync } from 'node:fs';
    const inside = home + '/inside';
    const moment = (ms) => { const start = Date.now(); while (Date.now() - (Date.now() % ms) <= start); };
    for (let won = 0; won < ${numRuns}; ) {
      moment(10);
      const kept = await store.open('a').catch((error) => {
        if (!/is in use by process \\d+;/.test(error.message)) throw error;
      });
      if (kept === undefined) continue;
      mkdirSync(inside);
      kept.log.append({ type: 'program.ended', session: process.pid });
      moment(2);
      rmdirSync(inside);
      kept.log.close();
      won += 1;
    }`;
  const fighters = await Promise.all([1, 2, 3].map(() => program(store, code)));
  const codes = await Promise.all(fighters.map(async (fighter) => (await once(fighter, 'close'))[0] as number));
  expect(codes).toEqual([0, 0, 0]);
  expect(await store.read('a')).toHaveLength(2 + 3 * numRuns);
  expect(claimsOf(store)).toEqual([]);
});

test('of two who make and open one session at the same time, one has it', async () => {
  const store = sessions();
  const { numRuns } = propertyRuns(30, 500);
  const opener = await program(
    store,
    `
    console.log('ready');
    for (let at = 0; at < ${numRuns}; ) {
      const kept = await store.open('s' + at).catch((error) => {
        if (!/there is no session|is in use|does not begin/.test(error.message)) throw error;
      });
      if (kept === undefined) continue;
      kept.log.append({ type: 'program.ended', session: 2 });
      kept.log.close();
      at += 1;
    }`,
  );
  if (opener.stdout) await once(opener.stdout, 'data');
  const ended = once(opener, 'close');
  for (let at = 0; at < numRuns; at += 1) {
    const log = store.create({ id: `s${at}`, cwd: '/project', version: '1' });
    for (let line = 0; line < 5; line += 1) {
      log.append(chosen());
      await new Promise(setImmediate);
    }
    log.close();
  }
  expect(await ended).toEqual([0, null]);
  for (let at = 0; at < numRuns; at += 1) {
    const types = (await store.read(`s${at}`)).map(({ type }) => type);
    expect(types).toEqual(['session.created', ...Array(5).fill('settings.chosen'), 'program.ended']);
  }
});

test('a process that is killed while it writes leaves every line that it had written', async () => {
  const { numRuns } = propertyRuns(3, 60);
  for (let round = 0; round < numRuns; round += 1) {
    const store = sessions();
    store.keep('a');
    const child = await program(
      store,
      `
      import { writeSync } from 'node:fs';
      const { log } = await store.open('a');
      for (let at = 0; ; at += 1) {
        log.append({ type: 'turn.started', at: 'x'.repeat(50_000), turn: String(at), wire: 'chat' });
        writeSync(1, at + '\\n');
      }`,
    );
    let told = '';
    child.stdout?.on('data', (data: Buffer) => {
      told += data.toString();
      if (told.length > 50 + round) child.kill('SIGKILL');
    });
    await once(child, 'close');
    const { log, past } = await store.open('a');
    const written = past.flatMap((line) => (line.type === 'turn.started' ? Number(line.turn) : []));
    const last = Number(told.trimEnd().split('\n').at(-1));
    expect(written).toEqual(written.map((_, at) => at));
    expect(written.length).toBeGreaterThan(last);
    log.append(started('next'));
    log.close();
    expect((await store.read('a')).at(-1)).toEqual(started('next'));
    expect(statSync(store.fileOf('a')).mode & 0o777).toBe(0o600);
  }
});

test('where no claim can be put up, nothing is opened', async () => {
  const store = sessions();
  mkdirSync(store.folder);
  store.keep('a');
  const { log } = await store.open('a');
  log.close();
  const locks = path.join(store.folder, 'locks');
  await promisify(execFile)('sh', ['-c', 'rmdir "$0" && echo > "$0"', locks]);
  await expect(store.open('a')).rejects.toThrow(/^session a cannot be locked: /);
});
