import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';

import type { SpawnRequest, Spawner } from '../../../src/core/spawner.js';
import { openSpawner } from '../../../src/sandbox/runner/spawner.js';
import { processGone } from '../../support/process-gone.js';
import { tempFolder } from '../../support/temp-folder.js';
import { CAN_RUN } from '../../support/test-runner.js';

/** A spawner, and a pipe for what its programs print. */
function openOne(): { readonly spawner: Spawner; readonly output: number; readonly printed: () => string } {
  const folder = tempFolder();
  const spawner = openSpawner([folder]);
  if (spawner === undefined) throw new Error('there is none here');
  const name = path.join(folder, 'pipe');
  execFileSync('mkfifo', [name]);
  const read = fs.openSync(name, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  const output = fs.openSync(name, fs.constants.O_WRONLY);
  onTestFinished(async () => {
    await spawner.close();
    fs.closeSync(read);
    fs.closeSync(output);
  });
  const bytes = Buffer.alloc(65_536);
  return { spawner, output, printed: () => bytes.toString('utf8', 0, fs.readSync(read, bytes)) };
}

const script = (text: string, output: number): SpawnRequest => ({
  argv: ['/bin/sh', '-c', text],
  cwd: '/usr',
  env: { PATH: '/usr/bin:/bin', NAME: 'with a space' },
  output,
  descriptors: [],
});

describe.runIf(CAN_RUN)('the spawner', () => {
  test('starts a program in its folder, with its variables, both streams in one pipe and no input', async () => {
    const { spawner, output, printed } = openOne();
    const started = await spawner.start(script('pwd; echo "$NAME" >&2; cat; exit 7', output));
    expect(await started?.exit).toEqual({ kind: 'exited', code: 7 });
    expect(printed()).toBe('/usr\nwith a space\n');
  });

  test('keeps what it says about errors apart, where that is asked for', async () => {
    const { spawner, output, printed } = openOne();
    const file = path.join(tempFolder(), 'errors');
    const errors = fs.openSync(file, 'w');
    const started = await spawner.start({ ...script('echo out; echo wrong >&2; ls /proc/self/fd', output), errors });
    await started?.exit;
    fs.closeSync(errors);
    expect([printed(), fs.readFileSync(file, 'utf8')]).toEqual(['out\n0\n1\n2\n3\n', 'wrong\n']);
  });

  test('gives it the descriptors from 3 on and no others, as they are open here', async () => {
    const { spawner, output, printed } = openOne();
    const file = path.join(tempFolder(), 'file');
    fs.writeFileSync(file, 'to be read\n');
    const [reading, both] = [fs.openSync(file, 'r'), fs.openSync(file, 'r+')];
    const started = await spawner.start({
      ...script('cat <&3; echo written >&4; echo no 2>/dev/null >&3 || echo; ls /proc/self/fd | tr "\\n" " "', output),
      descriptors: [reading, both],
    });
    await started?.exit;
    fs.closeSync(reading);
    fs.closeSync(both);
    // What is seen under 5 is the folder that is being listed.
    expect(printed()).toBe('to be read\n\n0 1 2 3 4 5 ');
    expect(fs.readFileSync(file, 'utf8')).toBe('written\nad\n');
  });

  test('makes it the first of a session of its own, whose group can be ended', async () => {
    const { spawner, output, printed } = openOne();
    const started = await spawner.start(script('ps -o sid= -p $$; exec sleep 1000', output));
    const pid = started?.pid ?? 0;
    await expect.poll(() => printedOrNothing(printed)).toBe(`${pid}`);
    process.kill(-pid, 'SIGTERM');
    expect(await started?.exit).toEqual({ kind: 'signalled', signal: 'SIGTERM', number: 15 });
  });

  test('has no signal held back or ignored in what it starts', async () => {
    const { spawner, output, printed } = openOne();
    const masks = "grep -E '^Sig(Blk|Ign)' /proc/self/status";
    await (
      await spawner.start({ ...script(masks, output), argv: ['/bin/sh', '-c', `exec ${masks}`] })
    )?.exit;
    expect(printed()).toBe('SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n');
  });

  test.each<[string, Partial<SpawnRequest>]>([
    ['a program that is not there', { argv: ['/no/such/program'] }],
    ['a folder that is not there', { cwd: '/no/such/folder' }],
    ['a command that is too long', { argv: ['/bin/true', 'x'.repeat(1 << 20)] }],
  ])('leaves %s to others, and goes on', async (_, wrong) => {
    const { spawner, output } = openOne();
    expect(await spawner.start({ ...script('true', output), ...wrong })).toBeUndefined();
    expect(await (await spawner.start(script('exit 3', output)))?.exit).toEqual({ kind: 'exited', code: 3 });
  });

  test('is not used again once a descriptor could not be handed over', async () => {
    const { spawner, output } = openOne();
    // A socket cannot be opened once more.
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { fd } = Reflect.get(server, '_handle') as { readonly fd: number };
    expect(await spawner.start({ ...script('true', output), descriptors: [fd] })).toBeUndefined();
    expect(await spawner.start(script('true', output))).toBeUndefined();
  });

  test('is not used where the mask for new files is another one by now', async () => {
    const { spawner, output } = openOne();
    const before = process.umask(0o027);
    onTestFinished(() => void process.umask(before));
    expect(await spawner.start(script('true', output))).toBeUndefined();
    process.umask(before);
    expect(await spawner.start(script('true', output))).toBeDefined();
  });

  test('makes named pipes for the user alone, or says that it could not', async () => {
    const { spawner } = openOne();
    const names = ['a', 'b'].map((name) => path.join(tempFolder(), name));
    expect(await spawner.makePipes(names)).toBe(true);
    const made = names.map((name) => fs.statSync(name));
    expect(made.map((stats) => [stats.isFIFO(), stats.mode & 0o777])).toEqual([
      [true, 0o600],
      [true, 0o600],
    ]);
    expect(await spawner.makePipes(names)).toBe(false);
  });

  test('starts many at once, and tells each how its own has ended', async () => {
    const { spawner, output } = openOne();
    const codes = Array.from({ length: 50 }, (_, index) => index);
    const exits = await Promise.all(
      codes.map(async (code) => (await spawner.start(script(`exit ${code}`, output)))?.exit),
    );
    expect(exits).toEqual(codes.map((code) => ({ kind: 'exited', code })));
  });

  test('takes what runs with it when it is killed, and starts nothing more', async () => {
    const { spawner, output, printed } = openOne();
    const started = await spawner.start(script('echo $PPID; exec sleep 1000', output));
    await expect.poll(() => printedOrNothing(printed)).toMatch(/^\d+$/);
    const own = Number(fs.readFileSync(`/proc/${started?.pid}/stat`, 'utf8').split(' ')[3]);
    process.kill(own, 'SIGKILL');
    expect(await started?.exit).toEqual({ kind: 'signalled', signal: 'SIGKILL', number: 9 });
    await processGone(started?.pid ?? 0);
    expect(await spawner.start(script('true', output))).toBeUndefined();
  });

  test('is gone when it was closed', async () => {
    const { spawner, output, printed } = openOne();
    await (
      await spawner.start(script('echo $PPID', output))
    )?.exit;
    const own = Number(printed());
    await spawner.close();
    await processGone(own);
  });
});

/** A pipe in which nothing is yet cannot be read. */
function printedOrNothing(printed: () => string): string {
  try {
    return printed().trim();
  } catch {
    return '';
  }
}
