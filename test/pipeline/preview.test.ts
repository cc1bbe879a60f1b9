import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { safeParse } from 'zod/mini';

import type { Decision } from '../../src/core/approval.js';
import type { Judge, Verdict } from '../../src/core/effects.js';
import { Rejected, ToolFailure } from '../../src/core/errors.js';
import { runtimeEventSchema } from '../../src/core/event-schema.js';
import { absolutePath } from '../../src/core/paths.js';
import type { OpenStage, StagedWorkspace } from '../../src/core/staging.js';
import { answeredElsewhere, textOutput } from '../../src/index.js';
import { afterCommit } from '../../src/pipeline/after-commit.js';
import { processGone } from '../support/process-gone.js';
import { actingTool, latch, textOf } from '../support/runtime.js';
import { testSandbox, whyNot } from '../support/confined.js';
import { copiedStages } from './copied-stage.js';
import { allowed, testPipeline } from './test-pipeline.js';
import type { TestPipeline } from './test-pipeline.js';

const YES: Decision = { kind: 'once' };
const NO: Decision = { kind: 'deny' };
const PREVIEW: Decision = { kind: 'preview' };

const asks: Judge = () => ({ kind: 'ask', reason: 'sure?', rule: { name: 'test' }, confined: true, grants: [] });

const OF_A_COPY = 'the command ran on a copy of the workspace, and its changes were not kept';

function alwaysOn(stages: { readonly open: OpenStage }) {
  return { preview: { always: true, open: stages.open } };
}

function misfits({ record }: TestPipeline): readonly unknown[] {
  return record.events.filter((event) => !safeParse(runtimeEventSchema, event).success);
}

describe('a command that is previewed', () => {
  test('shows what it changed, and changes nothing before the answer is yes', async () => {
    const stages = copiedStages();
    let before: object | undefined;
    const spine = testPipeline(alwaysOn(stages), [() => ((before = spine.files()), YES)]);
    writeFileSync(path.join(spine.project, 'old'), 'old');
    const result = await spine.sh('echo new > made; rm old; echo printed');
    expect(textOf(result)).toMatch(/exited with code 0[\s\S]*Output:\nprinted\n$/);
    expect(before).toEqual({ old: 'old' });
    expect(spine.files()).toEqual({ made: 'new\n' });
    expect(spine.questions).toMatchObject([
      {
        presentation: {
          title: 'Run a command',
          command: 'echo new > made; rm old; echo printed',
          diff: 'added made: new\n\ndeleted old: \n',
        },
        reason: 'these are the changes it made on a copy; keep them?',
        rule: { name: 'preview' },
        permission: { confined: true, grants: [] },
        onlyOnce: true,
      },
    ]);
    expect(spine.questions[0]).not.toHaveProperty('previewable');
    expect(spine.record.of('approval.requested')).toMatchObject([{ diff: spine.questions[0]?.presentation.diff }]);
    expect([misfits(spine), stages.left()]).toEqual([[], []]);
  });

  test('runs once', async () => {
    const spine = testPipeline(alwaysOn(copiedStages()), [YES]);
    const counter = path.join(path.dirname(spine.project), 'counter');
    await spine.sh(`echo x >> ${counter}; echo y >> counted`);
    expect([readFileSync(counter, 'utf8'), spine.files()]).toEqual(['x\n', { counted: 'y\n' }]);
  });

  test('is answered without a question when it changed nothing', async () => {
    const stages = copiedStages();
    const spine = testPipeline(alwaysOn(stages));
    expect(textOf(await spine.sh('echo printed'))).toMatch(/\nprinted\n$/);
    expect([spine.record.of('approval.requested'), stages.opened, stages.left()]).toEqual([[], [[]], []]);
  });

  test.each<readonly [string, Decision, object]>([
    ['no', NO, { kind: 'rejected', by: 'user', reason: expect.stringMatching(`^${OF_A_COPY}\\. Do not try`) }],
    [
      'no and why',
      { kind: 'deny', note: 'not that' },
      { kind: 'rejected', by: 'user', reason: `${OF_A_COPY}: not that` },
    ],
    [
      'preview, which it just was',
      PREVIEW,
      { kind: 'rejected', by: 'user', reason: expect.stringMatching(`^${OF_A_COPY}: they wanted to see`) },
    ],
    ['abort', { kind: 'abort' }, { kind: 'aborted', by: 'user', afterRun: false }],
  ])('leaves the workspace alone when the answer is %s', async (_, answer, outcome) => {
    const stages = copiedStages();
    const spine = testPipeline(alwaysOn(stages), [answer]);
    expect((await spine.sh('echo new > made')).outcome).toEqual(outcome);
    expect([spine.files(), stages.left(), misfits(spine)]).toEqual([{}, [], []]);
  });

  test('leaves the workspace alone when nobody is there to answer', async () => {
    const stages = copiedStages();
    const spine = testPipeline(alwaysOn(stages));
    expect((await spine.sh('echo new > made')).outcome).toEqual({
      kind: 'rejected',
      by: 'policy',
      reason: `${OF_A_COPY}. Keeping them needs an approval, and nobody is there to give it.`,
    });
    expect([spine.files(), stages.left()]).toEqual([{}, []]);
  });

  test.each(['session', 'always'] as const)('is kept this once when the answer is %s', async (kind) => {
    const spine = testPipeline(alwaysOn(copiedStages()), [{ kind }, NO]);
    expect((await spine.sh('echo x >> made')).outcome.kind).toBe('completed');
    expect((await spine.sh('echo x >> made')).outcome.kind).toBe('rejected');
    expect(spine.files()).toEqual({ made: 'x\n' });
    expect(spine.record.of('approval.decided').map(({ decision }) => decision)).toEqual(['once', 'deny']);
  });

  test('that failed is asked about all the same, and the question says so', async () => {
    const spine = testPipeline(alwaysOn(copiedStages()), [YES]);
    expect(textOf(await spine.sh('echo half > made; exit 3'))).toMatch(/exited with code 3/);
    expect(spine.questions[0]?.reason).toMatch(/^it failed, and these are the changes/);
    expect(spine.files()).toEqual({ made: 'half\n' });
  });

  test('that still runs when its answer is due is ended, and nothing of it is kept', async () => {
    const stages = copiedStages();
    const spine = testPipeline(alwaysOn(stages), [YES]);
    const pidFile = path.join(path.dirname(spine.project), 'pid');
    const { outcome } = await spine.sh(`echo $$ > ${pidFile}; echo new > made; sleep 60`, { yield_time_ms: 250 });
    expect(outcome).toEqual({
      kind: 'failed',
      message: expect.stringMatching(/still running when its answer was due[\s\S]*longer yield_time_ms/),
    });
    expect([spine.files(), stages.left(), spine.questions, spine.pipeline.sessions.list()]).toEqual([{}, [], [], []]);
    await processGone(Number(readFileSync(pidFile, 'utf8')));
  });

  test('whose files were changed meanwhile is not kept over them', async () => {
    const stages = copiedStages();
    const spine = testPipeline(alwaysOn(stages), [
      () => (writeFileSync(path.join(spine.project, 'made'), 'theirs'), YES),
    ]);
    expect((await spine.sh('echo new > made')).outcome).toEqual({
      kind: 'failed',
      message: expect.stringMatching(
        /could not be made in the workspace itself\. Nothing was changed there\.\n- made: somebody else/,
      ),
    });
    expect([spine.files(), stages.left()]).toEqual([{ made: 'theirs' }, []]);
  });

  test('whose tool throws is not kept', async () => {
    const stages = copiedStages();
    const throwing = actingTool(
      'act',
      async (_, { workspace }) => {
        const process = await workspace.spawn({ argv: ['touch', 'made'], cwd: workspace.cwd, onOutput: () => {} });
        await process.exit;
        throw new ToolFailure('no luck');
      },
      { intent: () => ({ effects: [{ kind: 'exec', argv: ['touch', 'made'], cwd: absolutePath('/') }] }) },
    );
    const spine = testPipeline(alwaysOn(stages), [YES], { builtinTools: [], tools: [throwing] });
    expect((await spine.call('act', {})).outcome).toEqual({ kind: 'failed', message: 'no luck' });
    expect([spine.files(), stages.left(), spine.questions]).toEqual([{}, [], []]);
  });

  test('whose changes cannot be told is not kept, and says so', async () => {
    const stages = changing(copiedStages(), () => ({ changes: () => Promise.reject(new Error('no such overlay')) }));
    const spine = testPipeline(alwaysOn(stages), [YES]);
    expect(textOf(await spine.sh('echo new > made'))).toBe(
      'the command ran on a copy of the workspace, but what it changed there cannot be shown: no such overlay. Nothing was changed in the workspace itself.',
    );
    expect(spine.files()).toEqual({});
  });

  test('keeps its answer when the copy cannot be removed, and that is told', async () => {
    const stages = changing(copiedStages(), () => ({ drop: () => Promise.reject(new Error('busy')) }));
    const spine = testPipeline(alwaysOn(stages), [YES]);
    expect((await spine.sh('echo new > made')).outcome.kind).toBe('completed');
    expect(spine.record.of('sandbox.failed')).toMatchObject([
      { attempt: 1, reason: 'the copy of the workspace could not be removed: busy' },
    ]);
  });
});

/** The same stages with something else in place of a part. */
function changing(
  { open }: { readonly open: OpenStage },
  change: (staged: StagedWorkspace) => Partial<StagedWorkspace>,
): { readonly open: OpenStage } {
  return {
    async open(...terms) {
      const staged = await open(...terms);
      return { ...staged, ...change(staged) };
    },
  };
}

describe('the setting', () => {
  const opened = async (verdict: Verdict, tool?: Parameters<typeof actingTool>): Promise<number> => {
    const stages = copiedStages();
    const tools = tool ? [actingTool(...tool)] : [];
    const spine = testPipeline(alwaysOn(stages), [YES, YES], { judge: () => verdict, tools });
    const result = await (tool ? spine.call(tool[0], {}) : spine.sh('echo new > made'));
    expect(result.outcome.kind).toBe('completed');
    return stages.opened.length;
  };
  const verdict: Verdict = { kind: 'allow', confined: true, grants: [], rule: { name: 'test' } };
  const file = absolutePath('/file');
  const exec = { kind: 'exec', argv: ['true'], cwd: absolutePath('/') } as const;
  const doing = async () => textOutput('');

  test('previews what the policy allows, and what somebody allowed', async () => {
    expect(await opened(verdict)).toBe(1);
    expect(await opened({ ...verdict, kind: 'ask', reason: 'sure?' })).toBe(1);
  });

  test('does not preview what is known to change nothing', async () => {
    expect(await opened({ ...verdict, harmless: true })).toBe(0);
  });

  test('does not preview what no sandbox holds', async () => {
    expect(await opened({ ...verdict, confined: false })).toBe(0);
  });

  test.each([
    [1, 'runs a command', [exec]],
    [1, 'also reads', [exec, { kind: 'read', path: file }]],
    [0, 'only reads', [{ kind: 'read', path: file }]],
    [0, 'also writes', [exec, { kind: 'write', path: file }]],
    [0, 'also connects', [exec, { kind: 'connect', host: 'example.com' }]],
    [0, 'does nothing', []],
  ] as const)('opens %d copies for a call that %s', async (count, _, effects) => {
    expect(await opened(verdict, ['act', doing, { intent: () => ({ effects }) }])).toBe(count);
  });
});

describe('where there can be no copy', () => {
  const none = { open: () => Promise.reject(new ToolFailure('no overlay')) };

  test('somebody is asked whether it may run without', async () => {
    const spine = testPipeline(alwaysOn(none), [YES, NO]);
    expect((await spine.sh('echo new > made')).outcome.kind).toBe('completed');
    expect((await spine.sh('echo newer > made')).outcome).toMatchObject({
      kind: 'rejected',
      reason: expect.stringMatching(/^exec command rejected by user/),
    });
    expect(spine.files()).toEqual({ made: 'new\n' });
    expect(spine.questions[0]).toMatchObject({
      reason: 'it cannot be previewed here: no overlay',
      rule: { name: 'preview' },
      onlyOnce: true,
    });
  });

  test('nothing runs when nobody is there to ask', async () => {
    const spine = testPipeline(alwaysOn(none));
    expect((await spine.sh('echo new > made')).outcome).toEqual({
      kind: 'rejected',
      by: 'policy',
      reason: 'it cannot be previewed here: no overlay. This needs an approval, and nobody is there to give it.',
    });
    expect(spine.files()).toEqual({});
  });

  test('nobody is asked when the sandbox itself does not start', async () => {
    const open: OpenStage = () => {
      throw new Rejected('policy', 'sandbox could not start: no kernel');
    };
    const spine = testPipeline(alwaysOn({ open }), [YES]);
    expect(textOf(await spine.sh('echo new > made'))).toBe('sandbox could not start: no kernel');
    expect([spine.questions, spine.files()]).toEqual([[], {}]);
  });
});

describe('"preview" as an answer', () => {
  const offered = (stages: { readonly open: OpenStage }) => ({ preview: { always: false, open: stages.open } });

  test('is on offer for commands in a sandbox, runs them on a copy, and asks again with the changes', async () => {
    const stages = copiedStages();
    const spine = testPipeline(offered(stages), [PREVIEW, YES, NO], { judge: asks });
    expect((await spine.sh('echo new > made')).outcome.kind).toBe('completed');
    expect(spine.questions).toMatchObject([
      { reason: 'sure?', previewable: true },
      { rule: { name: 'preview' }, presentation: { diff: 'added made: new\n\n' } },
    ]);
    expect(spine.record.of('approval.decided').map(({ decision }) => decision)).toEqual(['preview', 'once']);
    expect(spine.record.of('approval.requested').map(({ previewable }) => previewable)).toEqual([true, undefined]);
    // Neither answer holds for the next call.
    expect((await spine.sh('echo new > made')).outcome.kind).toBe('rejected');
    expect([spine.files(), stages.opened, stages.left(), misfits(spine)]).toEqual([{ made: 'new\n' }, [[]], [], []]);
  });

  test('is not what "once" means', async () => {
    const stages = copiedStages();
    const spine = testPipeline(offered(stages), [YES], { judge: asks });
    await spine.sh('echo new > made');
    expect([spine.files(), stages.opened]).toEqual([{ made: 'new\n' }, []]);
  });

  test.each([
    ['outside of the sandbox', 'sh', { confined: false }, true],
    ['where there are no copies', 'sh', {}, false],
    ['for what is no command', 'act', {}, true],
  ])('is a no %s, and the model learns why', async (_, name, rest, copies) => {
    const stages = copiedStages();
    const judge: Judge = async (...what) => ({
      ...((await asks(...what)) as Extract<Verdict, { kind: 'ask' }>),
      ...rest,
    });
    const tools = [actingTool('act', async () => textOutput(''))];
    const spine = testPipeline(copies ? offered(stages) : {}, [PREVIEW], { judge, tools });
    const result = await (name === 'sh' ? spine.sh('echo new > made') : spine.call(name, {}));
    expect(textOf(result)).toMatch(/rejected by user: they wanted to see it run on a copy first, and that cannot be/);
    expect(spine.questions[0]).not.toHaveProperty('previewable');
    expect(spine.record.of('approval.decided')).toMatchObject([{ decision: 'deny' }]);
    expect([spine.files(), stages.opened]).toEqual([{}, []]);
  });
});

describe('a previewed attempt that the sandbox stopped', () => {
  const denial = { kind: 'write', target: '/elsewhere', proof: 'kernel' } as const;
  const grant = { kind: 'write', path: absolutePath('/elsewhere') } as const;
  const judge: Judge = (intent, missing) =>
    missing.length === 0
      ? allowed(intent, missing)
      : { kind: 'ask', reason: 'wider?', rule: { name: 'test' }, confined: true, grants: missing };

  test('is made again on a fresh copy with what was missing', async () => {
    const stages = copiedStages(denial);
    const spine = testPipeline(alwaysOn(stages), [YES, YES], { judge });
    await spine.sh('echo x >> made; exit 1');
    expect(spine.questions.map(({ reason }) => reason)).toEqual(['wider?', expect.stringMatching(/^it failed, and/)]);
    expect(spine.record.of('attempt.started').map(({ grants }) => grants)).toEqual([[], [grant]]);
    expect([spine.files(), stages.opened, stages.left()]).toEqual([{ made: 'x\n' }, [[], [grant]], []]);
  });

  test('is previewed again when only its first question was answered with "preview"', async () => {
    const stages = copiedStages(denial);
    const always: Judge = (intent, missing) => (missing.length === 0 ? asks(intent, missing) : judge(intent, missing));
    const spine = testPipeline({ preview: { always: false, open: stages.open } }, [PREVIEW, YES, NO], {
      judge: always,
    });
    await spine.sh('echo x >> made; exit 1');
    expect([spine.files(), stages.opened, stages.left()]).toEqual([{}, [[], [grant]], []]);
  });

  test('runs without a copy once somebody lets it leave the sandbox', async () => {
    const stages = copiedStages(denial);
    const leaving: Judge = async (intent, missing) =>
      ({ ...(await judge(intent, missing)), confined: missing.length === 0 }) as Verdict;
    const spine = testPipeline(alwaysOn(stages), [YES], { judge: leaving });
    await spine.sh('echo x >> made; exit 1');
    expect([spine.files(), stages.opened, stages.left()]).toEqual([{ made: 'x\n' }, [[]], []]);
  });

  test('is shown as it is when nothing more is given', async () => {
    const stages = copiedStages(denial);
    const spine = testPipeline(alwaysOn(stages), [NO, YES], { judge });
    expect(textOf(await spine.sh('echo x >> made; exit 1'))).toMatch(/exited with code 1/);
    expect([spine.files(), stages.opened, stages.left()]).toEqual([{ made: 'x\n' }, [[]], []]);
  });

  test('leaves no copy behind when the question for more is answered with abort', async () => {
    const stages = copiedStages(denial);
    const spine = testPipeline(alwaysOn(stages), [{ kind: 'abort' }], { judge });
    expect((await spine.sh('echo x >> made; exit 1')).outcome.kind).toBe('aborted');
    expect([spine.files(), stages.left()]).toEqual([{}, []]);
  });
});

describe('a previewed call that is cancelled', () => {
  const ABORTED = { kind: 'aborted', by: 'signal', afterRun: false };

  test('while its changes are shown changes nothing', async () => {
    const stages = copiedStages();
    const controller = new AbortController();
    const spine = testPipeline(alwaysOn(stages), [
      (request) => (controller.abort(), answeredElsewhere(request, controller.signal)),
    ]);
    expect((await spine.sh('echo new > made', {}, controller.signal)).outcome).toEqual(ABORTED);
    expect([spine.files(), stages.left()]).toEqual([{}, []]);
  });

  test('while its command runs ends it first', async () => {
    const stages = copiedStages();
    const controller = new AbortController();
    const started = latch<number>();
    const stubborn = actingTool(
      'act',
      async (_, { workspace }) => {
        const onOutput = (): void => {};
        const { pid, exit } = await workspace.spawn({ argv: ['sleep', '60'], cwd: workspace.cwd, onOutput });
        started.open(pid ?? 0);
        await exit;
        return textOutput('ended');
      },
      { intent: () => ({ effects: [{ kind: 'exec', argv: ['sleep', '60'], cwd: absolutePath('/') }] }) },
    );
    const spine = testPipeline(alwaysOn(stages), [YES], { builtinTools: [], tools: [stubborn] });
    const call = spine.call('act', {}, controller.signal);
    const pid = await started.opened;
    controller.abort();
    expect((await call).outcome).toEqual(ABORTED);
    expect(stages.left()).toEqual([]);
    await processGone(pid);
  });

  test('while its copy is made leaves no copy behind', async () => {
    const stages = copiedStages();
    const controller = new AbortController();
    const made = latch();
    const dropped = latch();
    const slow: OpenStage = async (...terms) => {
      controller.abort();
      await made.opened;
      const staged = await stages.open(...terms);
      return { ...staged, drop: () => staged.drop().finally(() => dropped.open()) };
    };
    const spine = testPipeline(alwaysOn({ open: slow }), [YES]);
    expect((await spine.sh('echo new > made', {}, controller.signal)).outcome).toEqual(ABORTED);
    made.open();
    await dropped.opened;
    expect([spine.files(), stages.left()]).toEqual([{}, []]);
  });
});

describe('changes that could not be made', () => {
  const failed = { path: 'b', reason: 'the disk is full' };
  const folder = absolutePath('/project/.originals');
  const output = textOutput('done');

  test('and were all taken back leave the workspace as it was', () => {
    expect(() => afterCommit({ kind: 'rolled-back', failed }, output)).toThrow(
      /The workspace is as it was before\.\n- b: the disk is full$/,
    );
    expect(() => afterCommit({ kind: 'rolled-back', failed, leftover: folder }, output)).toThrow(
      /- b: the disk is full\nNote: the folder \/project\/\.originals was left behind/,
    );
  });

  test('nor taken back are told with the place of the originals', () => {
    const notRestored = [{ path: 'a', reason: 'it is busy' }];
    expect(() => afterCommit({ kind: 'broken', failed, notRestored, originals: folder }, output)).toThrow(
      /not all could be put back\. What stood there is in \/project\/\.originals;[\s\S]*\n- b: the disk is full\n- a: it is busy$/,
    );
  });

  test('are none when they were made; what was left behind is told', () => {
    expect(afterCommit({ kind: 'committed', done: [] }, output)).toBe(output);
    expect(afterCommit({ kind: 'committed', done: [], leftover: folder }, output).content).toEqual([
      ...output.content,
      { kind: 'text', text: expect.stringMatching(/\nNote: the folder \/project\/\.originals was left behind/) },
    ]);
  });
});

test('in the real sandbox, a command sees its own changes and the workspace gets them after a yes', async (context) => {
  const sandbox = testSandbox();
  const missing = await whyNot(sandbox, 'cell');
  if (missing !== undefined) context.skip(missing);
  const staged = await sandbox.stage().catch((error: unknown) => context.skip(String(error)));
  await staged.drop();
  const open: OpenStage = () => sandbox.stage();
  const made = path.join(sandbox.cwd, 'made');
  let wasThere: boolean | undefined;
  const spine = testPipeline(alwaysOn({ open }), [() => ((wasThere = existsSync(made)), YES), NO], {
    cwd: sandbox.cwd,
  });
  expect(textOf(await spine.sh('echo new > made; cat made'))).toMatch(/exited with code 0[\s\S]*\nnew\n$/);
  expect(spine.questions[0]?.presentation.diff).toMatch(/^diff --git a\/made b\/made\nnew file mode[\s\S]*\n\+new\n$/);
  expect([wasThere, readFileSync(made, 'utf8')]).toEqual([false, 'new\n']);
  expect((await spine.sh('rm made')).outcome.kind).toBe('rejected');
  expect(existsSync(made)).toBe(true);
});
