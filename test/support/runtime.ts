/** Builders for the tests of the pipeline: a runtime over memory, tools that do one thing, calls of every kind. */
import { object, optional, string } from 'zod/mini';

import { answerText, createRuntime, defineFreeformTool, defineTool, textOutput } from '../../src/index.js';
import type { CallResult, Payload, Runtime, RuntimeOptions, Tool } from '../../src/index.js';
import { createMemoryWorkspace, recordEvents } from '../../src/testing/index.js';
import type { EventRecord } from '../../src/testing/index.js';

export type TestRuntime = Runtime & { readonly record: EventRecord };

/** Only the tools that are given, full access, and a record of every event. */
export function testRuntime(options: RuntimeOptions = {}): TestRuntime {
  const record = recordEvents();
  const runtime = createRuntime({
    builtinTools: [],
    workspace: createMemoryWorkspace(),
    sandboxMode: 'danger-full-access',
    ...options,
    listeners: [record.listener, ...(options.listeners ?? [])],
  });
  return { ...runtime, record };
}

export function functionCall(args: unknown): Payload {
  return { kind: 'function', arguments: typeof args === 'string' ? args : JSON.stringify(args) };
}

export const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: object({ text: string(), tone: optional(string()) }),
  concurrency: 'shared',
  intent: () => ({ effects: [] }),
  run: ({ text }) => textOutput(text),
});

export const shout = defineFreeformTool({
  name: 'shout',
  description: 'Says it louder.',
  intent: () => ({ effects: [] }),
  run: (text) => textOutput(text.toUpperCase()),
});

/** A tool without arguments that does what it is told. */
export function actingTool(name: string, run: Tool['run'], rest: Partial<Tool> = {}): Tool {
  return {
    spec: { kind: 'function', name, description: name, parameters: { type: 'object', properties: {} }, strict: false },
    concurrency: 'exclusive',
    parse: () => ({}),
    intent: () => ({ effects: [] }),
    run,
    ...rest,
  };
}

export function textOf(result: CallResult): string {
  return answerText(result.answer);
}

/** A promise and the function that keeps it: for waiting on the thing itself. */
export function latch<Value = void>(): { readonly opened: Promise<Value>; open(value: Value): void } {
  let open: (value: Value) => void = () => {};
  const opened = new Promise<Value>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
