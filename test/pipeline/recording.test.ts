import path from 'node:path';
import { describe, expect, test } from 'vitest';

import type { ChangeLog, ChangeOwner } from '../../src/core/change-log.js';
import type { Effect, Judge } from '../../src/core/effects.js';
import { Fatal, ToolFailure } from '../../src/core/errors.js';
import { ABSENT } from '../../src/core/files.js';
import { sessionId } from '../../src/core/ids.js';
import { absolutePath } from '../../src/core/paths.js';
import type { Tool } from '../../src/core/tool.js';
import { textOutput } from '../../src/index.js';
import { actingTool, functionCall, latch, textOf } from '../support/runtime.js';
import { until } from '../support/until.js';
import { copiedStages } from './copied-stage.js';
import { allowed, testPipeline } from './test-pipeline.js';
import type { TestPipeline } from './test-pipeline.js';

/** A log that notes what it is asked for and keeps nothing. */
function notedChanges(): { readonly changes: ChangeLog; readonly notes: string[]; readonly owners: ChangeOwner[] } {
  const notes: string[] = [];
  const owners: ChangeOwner[] = [];
  const around = async <Value>(what: string, owner: ChangeOwner, work: () => Promise<Value>): Promise<Value> => {
    owners.push(owner);
    notes.push(`before ${what}`);
    try {
      return await work();
    } finally {
      notes.push(`after ${what}`);
    }
  };
  const changes: ChangeLog = {
    ready: async () => void notes.push('ready'),
    recording: (owner, files) => ({
      open: (file) => files.open(file),
      look: (file) => files.look(file),
      list: (file) => files.list(file),
      change: (made) => around(`changing ${made.map((each) => each.path).join()}`, owner, () => files.change(made)),
    }),
    aroundCommand: (owner, command) => around('command', owner, command),
    aroundPaths: (owner, paths, work) => around(paths.join(), owner, work),
  };
  return { changes, notes, owners };
}

const cwd = absolutePath('/');
/** What the log is asked for when one command runs. */
const AROUND_ONE = ['ready', 'before command', 'after command'];

const exec: Effect = { kind: 'exec', argv: ['act'], cwd };

/** A spine with these tools alone. */
function spineOf(tools: readonly Tool[], changes: ChangeLog, judge: Judge = allowed): TestPipeline {
  return testPipeline({ changes }, [], { builtinTools: [], tools, judge });
}

const write: Tool = actingTool(
  'write',
  async (_, { workspace }) => {
    const file = absolutePath(path.join(workspace.cwd, 'made'));
    await workspace.files.change([{ path: file, before: ABSENT, after: { kind: 'file', content: Buffer.from('x') } }]);
    return textOutput('written');
  },
  { present: () => ({ title: 'Write a file' }) },
);

describe('the log of changes', () => {
  test.each([true, false])('hears of a change before it is made, confined or not: %s', async (confined) => {
    const { changes, notes, owners } = notedChanges();
    const judge: Judge = () => ({ kind: 'allow', confined, grants: [], rule: { name: 'test' } });
    const spine = spineOf([write], changes, judge);
    expect(textOf(await spine.call('write', {}))).toBe('written');
    const file = path.join(spine.project, 'made');
    expect(notes).toEqual(['ready', `before changing ${file}`, `after changing ${file}`]);
    expect(owners).toEqual([{ callId: 'c1', turn: 't1', title: 'Write a file' }]);
    expect(spine.files()).toEqual({ made: 'x' });
  });

  test('knows a command by its words', async () => {
    const { changes, owners } = notedChanges();
    await testPipeline({ changes }).sh('echo hi');
    expect(owners).toEqual([{ callId: 'c1', turn: 't1', title: 'echo hi' }]);
  });

  test.each<readonly [string, readonly Effect[], readonly string[]]>([
    ['a command', [exec], ['ready', 'before command', 'ran', 'after command']],
    ['nothing', [], ['ready', 'ran']],
    ['a file that is read', [{ kind: 'read', path: cwd }], ['ready', 'ran']],
    ['a file that is written', [{ kind: 'write', path: cwd }], ['ready', 'ran']],
  ])('looks around the run of a call with %s as it must', async (_, effects, expected) => {
    const { changes, notes } = notedChanges();
    const act = actingTool('act', async () => (notes.push('ran'), textOutput('')), { intent: () => ({ effects }) });
    await spineOf([act], changes).call('act', {});
    expect(notes).toEqual(expected);
  });

  test('looks around what is typed into a session', async () => {
    const { changes, notes } = notedChanges();
    const spine = testPipeline({ changes });
    const text = textOf(await spine.sh('cat', { tty: true, yield_time_ms: 250 }));
    const session = sessionId(Number(/session ID (\d+)/.exec(text)?.[1]));
    await spine.call('write_stdin', { session_id: session, chars: '\u0004' });
    expect(notes).toEqual([...AROUND_ONE, ...AROUND_ONE]);
  });

  test('looks around each of two attempts', async () => {
    const { changes, notes } = notedChanges();
    const target = '/elsewhere';
    const act = actingTool('act', () => Promise.reject(new ToolFailure('stopped')), {
      intent: () => ({ effects: [exec] }),
    });
    const spine = testPipeline({ changes }, [], {
      builtinTools: [],
      tools: [act],
      confine: (workspace, { grants }, report) => {
        if (grants.length === 0) report({ kind: 'write', target, proof: 'kernel' });
        return workspace;
      },
    });
    await spine.call('act', {});
    expect(spine.record.of('attempt.started')).toHaveLength(2);
    expect(notes).toEqual([...AROUND_ONE, 'before command', 'after command']);
  });

  test('knows a call inside of another as one of its own, in the same turn', async () => {
    const { changes, owners } = notedChanges();
    const outer = actingTool('outer', async (_, scope) => {
      await scope.runCall('write', functionCall({}));
      return textOutput('');
    });
    await spineOf([outer, write], changes).call('outer', {});
    expect(owners).toEqual([{ callId: 'c1.1', turn: 't1', title: 'Write a file' }]);
  });

  test('looks only at what a preview commits', async () => {
    const { changes, notes } = notedChanges();
    const spine = testPipeline({ changes, preview: { always: true, open: copiedStages().open } }, [{ kind: 'once' }]);
    await spine.sh('echo a > a; echo b > b');
    const paths = ['a', 'b'].map((name) => path.join(spine.project, name)).join();
    expect(notes).toEqual(['ready', `before ${paths}`, `after ${paths}`]);
  });

  test('looks around a command that runs without the preview it was to have', async () => {
    const { changes, notes } = notedChanges();
    const open = () => Promise.reject(new ToolFailure('no overlay'));
    await testPipeline({ changes, preview: { always: true, open } }, [{ kind: 'once' }]).sh('echo a > a');
    expect(notes).toEqual(AROUND_ONE);
  });

  test('is not waited for by a call that is refused', async () => {
    const { changes, notes } = notedChanges();
    await spineOf([write], changes, () => ({ kind: 'deny', reason: 'no', rule: { name: 'test' } })).call('write', {});
    expect(notes).toEqual([]);
  });
});

describe('a call that is cancelled', () => {
  test('while the log gets ready does not run', async () => {
    const controller = new AbortController();
    const { changes } = notedChanges();
    const ready = (): Promise<void> => (controller.abort(), new Promise(() => {}));
    const spine = spineOf([write], { ...changes, ready });
    expect((await spine.call('write', {}, controller.signal)).outcome.kind).toBe('aborted');
    expect(spine.files()).toEqual({});
  });

  test('has the log look at what its command did before it is answered', async () => {
    const { changes, notes } = notedChanges();
    const controller = new AbortController();
    const running = latch();
    const act = actingTool(
      'act',
      async (_, { signal }) => {
        const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve));
        running.open();
        await stopped;
        throw new ToolFailure('stopped');
      },
      { intent: () => ({ effects: [exec] }) },
    );
    const call = spineOf([act], changes).call('act', {}, controller.signal);
    await running.opened;
    controller.abort();
    expect((await call).outcome.kind).toBe('aborted');
    expect(notes).toEqual(AROUND_ONE);
  });
});

test('what cannot be put on record is not done, and not tried again', async () => {
  const { changes } = notedChanges();
  const aroundCommand = (): Promise<never> => Promise.reject(new Fatal('the disk is full'));
  let runs = 0;
  const act = actingTool('act', async () => ((runs += 1), textOutput('')), { intent: () => ({ effects: [exec] }) });
  const spine = testPipeline({ changes: { ...changes, aroundCommand } }, [], {
    builtinTools: [],
    tools: [act],
    confine: (workspace, _, report) => {
      report({ kind: 'write', target: '/elsewhere', proof: 'kernel' });
      return workspace;
    },
  });
  expect((await spine.call('act', {})).outcome).toEqual({ kind: 'fatal', message: 'the disk is full' });
  expect([runs, spine.record.of('attempt.started').length]).toEqual([0, 1]);
});

describe('a tool that only changes files', () => {
  const patch: Tool = { ...write, onlyChangesFiles: true };

  test('begins while its attempt is put on record, and changes nothing before', async () => {
    const onRecord = latch();
    const journal = { intended: () => onRecord.opened, settled: async () => {} };
    const pipeline = testPipeline({ journal }, [], { builtinTools: [], tools: [patch] });
    const result = pipeline.call('write', {});
    await until(() => Object.values(pipeline.files()).includes('x'));
    const names = Object.keys(pipeline.files());
    onRecord.open();
    expect(names).toEqual([expect.stringMatching(/^\.tenon-.*\.tmp$/)]);
    expect([textOf(await result), pipeline.files()]).toEqual(['written', { made: 'x' }]);
  });

  test('changes nothing when that fails, whatever it says itself', async () => {
    const tool: Tool = { ...patch, run: (input, scope) => patch.run(input, scope).catch(() => textOutput('fine')) };
    const journal = { intended: () => Promise.reject(new Error('disk full')), settled: async () => {} };
    const pipeline = testPipeline({ journal }, [], { builtinTools: [], tools: [tool] });
    expect([(await pipeline.call('write', {})).outcome, pipeline.files()]).toEqual([
      { kind: 'fatal', message: 'the call was not run because it could not be recorded: disk full' },
      {},
    ]);
  });
});
