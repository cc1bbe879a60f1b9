/** Runs real commands through a runtime and takes the answers apart. */
import path from 'node:path';
import { onTestFinished } from 'vitest';

import { DEFAULT_ENVIRONMENT_POLICY } from '../../src/core/environment-policy.js';
import { createRuntime } from '../../src/index.js';
import type { CallResult, Runtime, RuntimeOptions, SandboxBackend, SandboxSettings } from '../../src/index.js';
import { recordEvents } from '../../src/testing/index.js';
import type { EventRecord } from '../../src/testing/index.js';
import { functionCall, textOf } from './runtime.js';
import { tempFolder } from './temp-folder.js';

type Told = {
  readonly result: CallResult;
  readonly text: string;
  /** The lines above the output, and what follows them. */
  readonly header: string;
  readonly body: string;
  /** The number of the session, when it goes on. */
  readonly session: number;
};

export type CommandRuntime = Runtime & {
  readonly record: EventRecord;
  readonly folder: string;
  call(name: string, args: object, signal?: AbortSignal): Promise<Told>;
};

/** A sandbox that is a part of another system than this one. */
export const NOT_HERE: SandboxBackend = process.platform === 'darwin' ? 'landlock' : 'seatbelt';

/** Without the folders for temporary files, where the tests have theirs. */
export const ONLY_THE_WORKSPACE: SandboxSettings = { excludeSlashTmp: true, excludeTmpdir: true };

/** A runtime with full access over a folder of its own; closed when the test is over. */
export function commandRuntime(options: RuntimeOptions = {}): CommandRuntime {
  const record = recordEvents();
  const folder = tempFolder();
  const runtime = createRuntime({
    cwd: folder,
    home: path.join(folder, '.home'),
    sandboxMode: 'danger-full-access',
    // Not the developer's, whose profile may do anything.
    environmentPolicy: { ...DEFAULT_ENVIRONMENT_POLICY, set: { HOME: folder } },
    ...options,
    listeners: [record.listener, ...(options.listeners ?? [])],
  });
  onTestFinished(() => runtime.close());
  return {
    ...runtime,
    record,
    folder,
    async call(name, args, signal) {
      const result = await runtime.runCall({ name, payload: functionCall(args) }, signal && { signal });
      return takeApart(result);
    },
  };
}

function takeApart(result: CallResult): Told {
  const text = textOf(result);
  const [, header = '', body = ''] = /^([\s\S]*?\nOutput:\n)([\s\S]*)$/.exec(text) ?? [];
  return { result, text, header, body, session: Number(/session ID (\d+)/.exec(header)?.[1]) };
}
