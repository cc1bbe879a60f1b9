/** The spine over a folder of the test's own, with somebody who answers as told and a record of every event. */
import { mkdirSync, readFileSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';

import type { ApprovalRequest, Decision } from '../../src/core/approval.js';
import type { Judge } from '../../src/core/effects.js';
import { DEFAULT_ENVIRONMENT_POLICY } from '../../src/core/environment-policy.js';
import { callId } from '../../src/core/ids.js';
import type { CallResult } from '../../src/core/outcome.js';
import { createPipeline, localWorkspace } from '../../src/create-pipeline.js';
import type { RuntimeOptions } from '../../src/index.js';
import { createEmitter } from '../../src/pipeline/emitter.js';
import { NO_CHANGES } from '../../src/pipeline/no-changes.js';
import { runCall } from '../../src/pipeline/run-call.js';
import type { Pipeline } from '../../src/pipeline/run-call.js';
import { recordEvents } from '../../src/testing/index.js';
import type { EventRecord } from '../../src/testing/index.js';
import { functionCall } from '../support/runtime.js';
import { tempFolder } from '../support/temp-folder.js';

export const allowed: Judge = () => ({ kind: 'allow', confined: true, grants: [], rule: { name: 'test' } });

export type TestPipeline = {
  readonly project: string;
  readonly pipeline: Pipeline;
  readonly record: EventRecord;
  readonly questions: readonly ApprovalRequest[];
  call(name: string, args: object, signal?: AbortSignal): Promise<CallResult>;
  /** Runs a script to its end, or to its answer. */
  sh(cmd: string, rest?: object, signal?: AbortSignal): Promise<CallResult>;
  /** What is in the project, by name. */
  files(): Readonly<Record<string, string>>;
};

type Answer = Decision | ((request: ApprovalRequest) => Decision | Promise<Decision>);

/** `answers` are given in turn; without any, nobody is there. */
export function testPipeline(
  parts: Partial<Pick<Pipeline, 'changes' | 'preview' | 'journal'>>,
  answers?: readonly Answer[],
  rest: RuntimeOptions = {},
): TestPipeline {
  const root = realpathSync(tempFolder());
  const project = path.join(root, 'project');
  mkdirSync(project);
  const options: RuntimeOptions = {
    cwd: project,
    home: path.join(root, 'home'),
    environmentPolicy: { ...DEFAULT_ENVIRONMENT_POLICY, set: { HOME: root } },
    judge: allowed,
    confine: (workspace) => workspace,
    ...rest,
  };
  const record = recordEvents();
  const workspace = localWorkspace(options);
  const made = createPipeline(options, workspace, createEmitter([record.listener]).emit);
  const questions: ApprovalRequest[] = [];
  const approve = async (request: ApprovalRequest): Promise<Decision> => {
    questions.push(request);
    const answer = answers?.[questions.length - 1];
    return (typeof answer === 'function' ? answer(request) : answer) ?? { kind: 'deny', note: 'no more answers' };
  };
  const pipeline = { ...made, changes: NO_CHANGES, preview: undefined, approve: answers && approve, ...parts };
  onTestFinished(async () => {
    await workspace.close();
    await made.sessions.close();
    await made.closeSandbox();
  });
  const call = (name: string, args: object, signal = new AbortController().signal): Promise<CallResult> =>
    runCall({ id: callId('c1'), name, payload: functionCall(args) }, { signal, turn: 't1' }, pipeline);
  return {
    project,
    pipeline,
    record,
    questions,
    call,
    sh: (cmd, more = {}, signal) =>
      call('exec_command', { cmd, login: false, shell: '/bin/sh', yield_time_ms: 30_000, ...more }, signal),
    files: () =>
      Object.fromEntries(readdirSync(project).map((name) => [name, readFileSync(path.join(project, name), 'utf8')])),
  };
}
