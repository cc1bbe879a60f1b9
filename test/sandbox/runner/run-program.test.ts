import fs, { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { createProgram } from '../../../src/sandbox/runner/program.js';
import type { ProgramBuilder } from '../../../src/sandbox/runner/program.js';
import { openRunner } from '../../../src/sandbox/runner/runner.js';
import { runProgram } from '../../../src/sandbox/runner/run-program.js';
import { tempFolder } from '../../support/temp-folder.js';
import { ARCHITECTURE, CAN_RUN, startProgram, testRunner } from '../../support/test-runner.js';
import type { Started } from '../../support/test-runner.js';

const AT_FDCWD = -100;
const MAKE = 0o1101;

function program(steps: (program: ProgramBuilder) => void): ReturnType<ProgramBuilder['build']> {
  const builder = createProgram(ARCHITECTURE);
  steps(builder);
  return builder.build();
}

function print(builder: ProgramBuilder, text: string): void {
  builder.call(`printing ${text}`, 'write', [1, builder.text(text), Buffer.byteLength(text)]);
}

function becomeShell(builder: ProgramBuilder, script: string, env: readonly string[] = []): void {
  const words = ['sh', '-c', script].map((word) => builder.text(word));
  const variables = env.map((each) => builder.text(each));
  builder.call('becoming a shell', 'execve', [
    builder.text('/bin/sh'),
    builder.pointers(words),
    builder.pointers(variables),
  ]);
}

describe.skipIf(!CAN_RUN)('a program in the runner', () => {
  const run = (steps: (builder: ProgramBuilder) => void): ReturnType<typeof runProgram> =>
    runProgram(program(steps), testRunner());

  test('ends well when all its steps are done, even without any', async () => {
    expect(await run(() => {})).toEqual({ code: 0, problem: undefined, output: Buffer.alloc(0), errors: '' });
  });

  test('uses what earlier steps gave back', async () => {
    const file = path.join(tempFolder(), 'made');
    await run((builder) => {
      const [one, other] = ['1', '2'].map((name) =>
        builder.open('making a file', 'openat', [AT_FDCWD, builder.text(file + name), MAKE, 0o600]),
      );
      if (one) builder.call('writing', 'write', [one, builder.text('first'), 5]);
      if (other) builder.call('writing', 'write', [other, builder.text('second'), 6]);
    });
    expect(['1', '2'].map((name) => fs.readFileSync(file + name, 'utf8'))).toEqual(['first', 'second']);
  });

  test('stores a result where later steps find it', async () => {
    const { output } = await run((builder) => {
      const place = builder.bytes(Buffer.alloc(16, 0xaa));
      builder.call('asking for nothing', 'openat', [AT_FDCWD, builder.text('/no/such'), 0], {
        mayFail: true,
        store: { kind: 'address', offset: place.offset + 4 },
      });
      builder.call('telling', 'write', [1, place, 12]);
    });
    // Minus two is the error that there is no such file; 32 bits are written and no more.
    expect(output.toString('hex')).toBe('aaaaaaaafeffffffaaaaaaaa');
  });

  test('becomes another program with its arguments and variables, and nothing else of ours', async () => {
    const { output, code } = await run((builder) =>
      becomeShell(builder, 'echo "$0 $ONE $TWO"; env; exit 3', ['ONE=1', 'TWO=two words']),
    );
    expect(code).toBe(3);
    expect(output.toString().split('\n').toSorted()).toEqual(
      expect.arrayContaining(['ONE=1', 'TWO=two words', 'sh 1 two words']),
    );
    expect(output.toString()).not.toContain('PATH=');
  });

  test('stops at the first step that fails and tells its name and why', async () => {
    const ran = await run((builder) => {
      print(builder, 'before');
      builder.call('opening nothing', 'openat', [AT_FDCWD, builder.text('/no/such'), 0]);
      print(builder, 'after');
    });
    expect(ran).toEqual({
      code: 125,
      problem: 'opening nothing: ENOENT',
      output: Buffer.from('before'),
      errors: '',
    });
  });

  test('goes on behind a step that may fail', async () => {
    const { output, problem } = await run((builder) => {
      builder.call('opening nothing', 'openat', [AT_FDCWD, builder.text('/no/such'), 0], { mayFail: true });
      print(builder, 'after');
    });
    expect({ output: output.toString(), problem }).toEqual({ output: 'after', problem: undefined });
  });

  test('is not run when its mark is another one', async () => {
    const { bytes, ...rest } = program((builder) => print(builder, 'ran'));
    const damaged = Buffer.from(bytes);
    damaged[0] = 0;
    const { code, output } = await runProgram({ ...rest, bytes: damaged }, testRunner());
    expect({ code, output: output.toString() }).toEqual({ code: 125, output: '' });
  });

  test('leaves no file behind, and neither does the runner', async () => {
    const folder = tempFolder();
    const runner = openRunner(ARCHITECTURE, [folder]);
    const loaded = runner.load(program((builder) => print(builder, 'x')));
    expect(readdirSync(folder)).toEqual([]);
    loaded.close();
    runner.close();
  });
});

describe.skipIf(!CAN_RUN)('a folder for the runner', () => {
  test('is passed over when nothing can be made in it', () => {
    const folder = tempFolder();
    const runner = openRunner(ARCHITECTURE, [path.join(folder, 'missing'), folder]);
    expect(runner.descriptor).toBeGreaterThan(2);
    runner.close();
  });

  test('is looked for until there is none left, and each is told', () => {
    const folder = tempFolder();
    const missing = ['one', 'other'].map((name) => path.join(folder, name));
    expect(() => openRunner(ARCHITECTURE, missing)).toThrow(
      /^there is no folder from which its runner can be started: ENOENT.*one.*; ENOENT.*other/,
    );
  });

  test('from which nothing can be started is passed over, and nothing stays open', (ctx) => {
    const folder = folderWithoutPrograms();
    if (folder === undefined)
      return ctx.skip('nothing that can be written to is mounted without the right to start programs');
    const open = (): number => readdirSync('/proc/self/fd').length;
    const before = open();
    expect(() => openRunner(ARCHITECTURE, [folder])).toThrow('there is no folder from which its runner can be started');
    expect(open()).toBe(before);
  });

  function folderWithoutPrograms(): string | undefined {
    const mounts = fs.readFileSync('/proc/self/mounts', 'utf8').split('\n');
    const folders = mounts.flatMap((line) => {
      const [, folder = '', type = '', options = ''] = line.split(' ');
      return type === 'tmpfs' && options.includes('noexec') ? [folder] : [];
    });
    return folders.find((folder) => {
      try {
        fs.accessSync(folder, fs.constants.W_OK);
        return true;
      } catch {
        return false;
      }
    });
  }
});

/** Resolves once nobody has the first of its pipes any more. */
async function closedByAll({ child }: Started): Promise<void> {
  const shared = child.stdio.at(5) as NodeJS.ReadableStream;
  await new Promise((resolve) => shared.once('end', resolve).resume());
}

describe.skipIf(!CAN_RUN)('a fork', () => {
  test('goes on in the child, and the parent tells how that ended', async () => {
    const started = startProgram(
      program((builder) => {
        builder.fork('starting a child', { tells: true });
        becomeShell(builder, 'exit 42');
      }),
    );
    expect(await started.ended).toMatchObject({ code: 42 });
    expect(started.loaded.outcome()).toEqual({ kind: 'ended', status: 42 << 8 });
  });

  test('ends as a child does that was killed, and tells by which signal', async () => {
    const started = startProgram(
      program((builder) => {
        builder.fork('starting a child', { tells: true });
        becomeShell(builder, 'kill -TERM $$');
      }),
    );
    expect(await started.ended).toMatchObject({ code: 128 + 15 });
    expect(started.loaded.outcome()).toEqual({ kind: 'ended', status: 15 });
  });

  test('tells nothing when it is not the one to tell', async () => {
    const started = startProgram(
      program((builder) => {
        builder.fork('starting a child', {});
        becomeShell(builder, 'exit 5');
      }),
    );
    expect(await started.ended).toMatchObject({ code: 5 });
    expect(started.loaded.outcome()).toEqual({ kind: 'untold' });
  });

  test('keeps what the child had to say of a step that failed', async () => {
    const started = startProgram(
      program((builder) => {
        builder.fork('starting a child', { tells: true });
        builder.call('opening nothing', 'openat', [AT_FDCWD, builder.text('/no/such'), 0]);
        print(builder, 'after');
      }),
    );
    expect(await started.ended).toEqual({ code: 125, signal: null, output: '' });
    expect(started.loaded.outcome()).toEqual({ kind: 'stopped', what: 'opening nothing', errno: 2 });
  });

  test('waits on when it is asked to stop: the signals of a keyboard are for the program', async () => {
    const started = startProgram(
      program((builder) => {
        builder.fork('starting a child', { tells: true, closeFrom: 5 });
        builder.call('closing it here too', 'close', [5]);
        builder.call('waiting', 'read', [0, builder.bytes(new Uint8Array(8)), 8]);
        print(builder, 'done');
      }),
      { pipes: 1 },
    );
    // What the parent closes it closes after it has decided on signals.
    await closedByAll(started);
    for (const signal of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGPIPE'] as const) started.child.kill(signal);
    started.child.stdin?.end();
    expect(await started.ended).toEqual({ code: 0, signal: null, output: 'done' });
    expect(started.loaded.outcome()).toEqual({ kind: 'ended', status: 0 });
  });

  test('closes in the parent what only the child needs', async () => {
    const started = startProgram(
      program((builder) => {
        builder.fork('starting a child', { tells: true, closeFrom: 5 });
        builder.call('closing it here too', 'close', [5]);
        print(builder, 'ready');
        builder.call('waiting', 'read', [0, builder.bytes(new Uint8Array(8)), 8]);
      }),
      { pipes: 1 },
    );
    await closedByAll(started);
    await started.printed('ready');
    expect(started.child.exitCode).toBeNull();
    started.child.stdin?.end();
    expect(await started.ended).toMatchObject({ code: 0 });
    expect(started.loaded.outcome()).toEqual({ kind: 'ended', status: 0 });
  });

  test('can be made twice: the outer one ends as the inner one did', async () => {
    const started = startProgram(
      program((builder) => {
        builder.fork('starting a child', {});
        builder.fork('starting its child', { tells: true, closeFrom: 4 });
        becomeShell(builder, 'exit 9');
      }),
    );
    expect(await started.ended).toMatchObject({ code: 9 });
    expect(started.loaded.outcome()).toEqual({ kind: 'ended', status: 9 << 8 });
  });
});
