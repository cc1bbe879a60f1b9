import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { createRuntime } from '../../src/index.js';
import type { Tool } from '../../src/index.js';
import { resolvePath } from '../../src/core/paths.js';
import { limitFiles } from '../../src/pipeline/file-limit.js';
import { createMemoryWorkspace } from '../../src/testing/index.js';
import { commandRuntime } from '../support/commands.js';
import { actingTool, functionCall, latch, testRuntime, textOf } from '../support/runtime.js';
import { sandboxedRuntime } from '../support/sandboxed.js';

const exec: Tool['intent'] = (_, { cwd }) => ({ effects: [{ kind: 'exec', argv: ['true'], cwd }] });
const noArguments = functionCall({});

describe('commands are counted', () => {
  const done = (text: string) => async () => ({ content: [{ kind: 'text' as const, text }] });

  test('one more than the settings allow is refused, whichever tool would run it, and others go on', async () => {
    const runtime = testRuntime({
      tools: [
        actingTool('one', done('ran'), { intent: exec }),
        actingTool('two', done('ran'), { intent: exec }),
        actingTool('look', done('seen')),
      ],
      toolLimits: { maxShellCommands: 2 },
    });
    const outcomes: string[] = [];
    for (const name of ['one', 'look', 'two', 'one', 'two', 'look']) {
      const result = await runtime.runCall({ name, payload: noArguments });
      outcomes.push(`${name} ${result.outcome.kind}`);
    }
    expect(outcomes).toEqual([
      'one completed',
      'look completed',
      'two completed',
      'one rejected',
      'two rejected',
      'look completed',
    ]);
    expect(runtime.record.of('verdict.reached').filter(({ verdict }) => verdict === 'deny')).toMatchObject([
      { rule: { name: 'max-shell-commands' } },
      { rule: { name: 'max-shell-commands' } },
    ]);
  });

  test('the model hears why, and what is left to it', async () => {
    const runtime = testRuntime({
      tools: [actingTool('one', done('ran'), { intent: exec })],
      toolLimits: { maxShellCommands: 0 },
    });
    expect(textOf(await runtime.runCall({ name: 'one', payload: noArguments }))).toContain(
      'the settings allow 0 commands in a session, and as many have been run. Go on without commands',
    );
    expect(await runtime.explain(exec({}, createMemoryWorkspace()))).toMatchObject({ kind: 'deny' });
  });

  test('what was refused for another reason does not count', async () => {
    const answers = ['deny', 'once', 'once'] as const;
    let asked = 0;
    const runtime = testRuntime({
      tools: [actingTool('one', done('ran'), { intent: exec })],
      toolLimits: { maxShellCommands: 1 },
      judge: () => ({ kind: 'ask', reason: 'why not', confined: false, grants: [], rule: { name: 'test' } }),
      approver: async () => ({ kind: answers[asked++] ?? 'deny' }),
    });
    const outcomes: string[] = [];
    for (let call = 0; call < 3; call += 1) {
      outcomes.push((await runtime.runCall({ name: 'one', payload: noArguments })).outcome.kind);
    }
    // Nobody is asked about one too many.
    expect({ outcomes, asked }).toEqual({ outcomes: ['rejected', 'completed', 'rejected'], asked: 2 });
  });

  test('calls that are judged at the same time do not pass together', async () => {
    const both = latch();
    let asked = 0;
    const runtime = testRuntime({
      tools: [actingTool('one', done('ran'), { intent: exec, concurrency: 'shared' })],
      toolLimits: { maxShellCommands: 1 },
      judge: () => ({ kind: 'ask', reason: 'why not', confined: false, grants: [], rule: { name: 'test' } }),
      approver: async () => {
        asked += 1;
        if (asked === 2) both.open();
        await both.opened;
        return { kind: 'once' };
      },
    });
    const results = await Promise.all(
      ['a', 'b'].map((id) => runtime.runCall({ id, name: 'one', payload: noArguments })),
    );
    expect(results.map(({ outcome }) => outcome.kind).toSorted()).toEqual(['completed', 'rejected']);
  });

  test('a second attempt of the same call is no second command', async () => {
    let runs = 0;
    const runtime = testRuntime({
      tools: [
        actingTool(
          'one',
          async (_, { workspace }) => {
            runs += 1;
            await workspace.spawn({ argv: ['true'], cwd: workspace.cwd, onOutput: () => {} });
            return { content: [], success: runs > 1 };
          },
          { intent: exec },
        ),
      ],
      toolLimits: { maxShellCommands: 1 },
      judge: (_, missing) => ({ kind: 'allow', confined: true, grants: missing, rule: { name: 'test' } }),
      confine: (workspace, _, report) => {
        if (runs === 0) report({ kind: 'connect', target: 'example.com', proof: 'proxy' });
        return workspace;
      },
    });
    const first = await runtime.runCall({ name: 'one', payload: noArguments });
    const second = await runtime.runCall({ name: 'one', payload: noArguments });
    expect({ runs, kinds: [first.outcome.kind, second.outcome.kind] }).toEqual({
      runs: 2,
      kinds: ['completed', 'rejected'],
    });
  });

  test('a line typed into a shell counts, what ends no line does not', async () => {
    const runtime = commandRuntime({ toolLimits: { maxShellCommands: 2 } });
    const { session } = await runtime.call('exec_command', { cmd: 'cat', tty: true, login: false });
    const kinds: string[] = [];
    for (const chars of ['o', 'ne\n', 'two\n', '\u0003']) {
      kinds.push((await runtime.call('write_stdin', { session_id: session, chars })).result.outcome.kind);
    }
    expect(kinds).toEqual(['completed', 'completed', 'rejected', 'completed']);
  });
});

describe('the size of files is bounded', () => {
  const limit = 100;
  const large = 'x'.repeat(limit + 1);
  const atLimit = 'x'.repeat(limit);
  const WORDS = 'it is too large for the tools (101 bytes or more, and the settings allow 100)';

  function ground() {
    const runtime = commandRuntime({ toolLimits: { maxFileBytes: limit } });
    const at = (name: string): string => path.join(runtime.folder, name);
    writeFileSync(at('large.txt'), large);
    writeFileSync(at('small.txt'), atLimit);
    return { runtime, at };
  }

  test('when they are read', async () => {
    const { runtime, at } = ground();
    expect((await runtime.call('read_file', { path: 'large.txt' })).text).toContain(`${at('large.txt')}: ${WORDS}`);
    expect((await runtime.call('read_file', { path: 'small.txt' })).text).toContain(atLimit);
    expect((await runtime.call('view_image', { path: 'large.txt' })).text).toContain(WORDS);
  });

  test('when they are written', async () => {
    const { runtime, at } = ground();
    expect((await runtime.call('write_file', { path: 'new.txt', content: large })).text).toContain(WORDS);
    expect((await runtime.call('write_file', { path: 'small.txt', content: 'y' })).text).toContain('Wrote small.txt');
    expect(() => readFileSync(at('new.txt'))).toThrow(/ENOENT/);
    expect(readFileSync(at('small.txt'), 'utf8')).toBe('y');
  });

  test('when they are patched, and then no file of the patch is changed', async () => {
    const { runtime, at } = ground();
    const input = `*** Begin Patch\n*** Add File: a.txt\n+a\n*** Add File: b.txt\n+${large}\n*** End Patch\n`;
    expect((await runtime.call('apply_patch', { input })).text).toContain(
      'it is too large for the tools (102 bytes or more, and the settings allow 100)',
    );
    expect(() => readFileSync(at('a.txt'))).toThrow(/ENOENT/);
  });

  test('also when they grow after they were opened', async () => {
    const { files, cwd } = createMemoryWorkspace({ files: { 'a.txt': 'x' } });
    const growing = {
      open: async () => ({
        size: 0,
        mode: 0o644,
        read: async (into: Uint8Array) => into.length,
        close: async () => {},
      }),
      look: files.look.bind(files),
      list: files.list.bind(files),
      change: files.change.bind(files),
    };
    const file = await limitFiles(growing, limit).open(resolvePath(cwd, 'a.txt'));
    expect(await file.read(new Uint8Array(limit), 0)).toBe(limit);
    await expect(file.read(new Uint8Array(1), limit)).rejects.toMatchObject({ kind: 'too-large' });
  });

  test('and commands cannot write larger ones, nor larger ones than the sandbox allows', async () => {
    const written = async (sandboxBytes?: number) => {
      const runtime = sandboxedRuntime({
        toolLimits: { maxFileBytes: 10_000 },
        ...(sandboxBytes !== undefined && { sandbox: { limits: { fileBytes: sandboxBytes } } }),
      });
      await runtime.sh('head -c 50000 /dev/zero > out; true');
      return readFileSync(path.join(runtime.project, 'out')).length;
    };
    expect(await Promise.all([written(), written(4_096), written(1_000_000)])).toEqual([10_000, 4_096, 10_000]);
  });

  test('what was kept of a long output can be read all the same', async () => {
    const runtime = commandRuntime({
      toolLimits: { maxFileBytes: limit },
      outputBudget: { unit: 'bytes', amount: 400 },
    });
    await runtime.call('exec_command', { cmd: 'seq 1 500', login: false });
    const [kept] = runtime.record.of('output.kept');
    expect((await runtime.call('read_file', { path: kept?.path ?? '', max_lines: 2 })).result.outcome.kind).toBe(
      'completed',
    );
  });
});

test.each([-1, 1.5, Number.NaN])('a limit of %d is refused', (most) => {
  expect(() => createRuntime({ toolLimits: { maxShellCommands: most } })).toThrow(
    `toolLimits.maxShellCommands has to be a whole number, not ${most}`,
  );
  expect(() => createRuntime({ toolLimits: { maxFileBytes: most } })).toThrow('toolLimits.maxFileBytes');
});
