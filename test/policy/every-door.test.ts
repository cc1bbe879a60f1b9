import { describe, expect, test } from 'vitest';

import { builtinTools, createRuntime, defineFreeformTool, defineTool, textOutput } from '../../src/index.js';
import type { Effect, Judge, Payload, Tool, Workspace } from '../../src/index.js';
import { createMemoryWorkspace } from '../../src/testing/index.js';
import { actingTool, functionCall, latch, textOf } from '../support/runtime.js';
import { object, string } from 'zod/mini';

/** Everything through which a tool can act; each use is put down before it is carried out. */
function watched(workspace: Workspace, acts: string[]): Workspace {
  return {
    cwd: workspace.cwd,
    shellCommand: (script, options) => workspace.shellCommand(script, options),
    files: {
      open(file) {
        acts.push(`open ${file}`);
        return workspace.files.open(file);
      },
      look(file) {
        acts.push(`look ${file}`);
        return workspace.files.look(file);
      },
      list(folder) {
        acts.push(`list ${folder}`);
        return workspace.files.list(folder);
      },
      change(changes) {
        acts.push(...changes.map(({ path }) => `change ${path}`));
        return workspace.files.change(changes);
      },
    },
    spawn(command) {
      acts.push(`spawn ${command.argv.join(' ')}`);
      return workspace.spawn(command);
    },
  };
}

/** An input with which each built-in tool gets as far as acting, in each form a model may send it. */
const PATCH = '*** Begin Patch\n*** Update File: a.txt\n@@\n-text\n+other\n*** End Patch';
const HANDED = `apply_patch <<'EOF'\n${PATCH}\nEOF`;
const REPLACEMENT = { file_path: 'a.txt', original_content: 'text', updated_content: 'other' };
const INPUTS: Readonly<Record<string, readonly Payload[]>> = {
  apply_patch: [{ kind: 'custom', input: PATCH }, functionCall({ input: PATCH }), functionCall(REPLACEMENT)],
  exec_command: [
    functionCall({ cmd: 'ls' }),
    { kind: 'custom', input: '{"cmd": "ls"}' },
    functionCall({ cmd: HANDED }),
  ],
  grep_files: [functionCall({ pattern: 'text' })],
  list_dir: [functionCall({ path: '.' })],
  local_shell: [functionCall({ command: ['ls'] }), { kind: 'local_shell', argv: ['ls'] }],
  read_file: [functionCall({ path: 'a.txt' })],
  shell: [functionCall({ command: ['ls'] }), functionCall({ command: ['apply_patch', PATCH] })],
  shell_command: [functionCall({ command: 'ls' }), functionCall({ command: HANDED })],
  update_plan: [functionCall({ plan: [{ step: 'x', status: 'pending' }] })],
  view_image: [functionCall({ path: 'a.txt' })],
  write_file: [functionCall({ path: 'a.txt', content: 'new' })],
  write_stdin: [functionCall({ session_id: 1, chars: 'ls\n' }), functionCall({ session_id: 1 })],
};

const custom: readonly Tool[] = [
  defineTool({
    name: 'own_function',
    description: 'Opens a file.',
    input: object({ path: string() }),
    intent: ({ path }, { cwd }) => ({ effects: [{ kind: 'read', path: `${cwd}/${path}` as never }] }),
    run: async ({ path }, { workspace }) => (
      await workspace.files.open(`${workspace.cwd}/${path}` as never),
      textOutput('')
    ),
  }),
  defineFreeformTool({
    name: 'own_freeform',
    description: 'Runs a program.',
    intent: (text, { cwd }) => ({ effects: [{ kind: 'exec', argv: [text], cwd }] }),
    run: async (text, { workspace }) => {
      const running = await workspace.spawn({ argv: [text], cwd: workspace.cwd, onOutput: () => {} });
      await running.exit;
      return textOutput('');
    },
  }),
];
const CUSTOM_INPUTS: Readonly<Record<string, readonly Payload[]>> = {
  own_function: [functionCall({ path: 'a.txt' })],
  own_freeform: [{ kind: 'custom', input: 'ls' }, functionCall({ input: 'ls' })],
};

const tools = [...builtinTools, ...custom];
const inputs = { ...INPUTS, ...CUSTOM_INPUTS };
const calls = tools.flatMap(({ spec }) =>
  (inputs[spec.name] ?? []).map((payload) => [spec.name, payload.kind, payload] as const),
);

function runtimeWith(judge: Judge, acts: string[], more: readonly Tool[] = []) {
  const events: string[] = [];
  const runtime = createRuntime({
    tools: [...custom, ...more],
    workspace: watched(
      createMemoryWorkspace({ files: { 'a.txt': 'text' }, program: () => ({ kind: 'exited', code: 0 }) }),
      acts,
    ),
    selection: { experimental: builtinTools.map(({ spec }) => spec.name) },
    judge,
    listeners: [(event) => void events.push(event.type)],
  });
  return { ...runtime, events };
}

describe('no tool acts before a verdict', () => {
  test('each one that is registered is tried', () => {
    const { tools: registered } = runtimeWith(() => never(), []);
    expect(registered.map(({ spec }) => spec.name).toSorted()).toEqual(Object.keys(inputs).toSorted());
  });

  test.each(calls)('%s (%s), denied', async (name, _, payload) => {
    const acts: string[] = [];
    const runtime = runtimeWith(() => ({ kind: 'deny', reason: 'no', rule: { name: 'r' } }), acts);
    const { outcome } = await runtime.runCall({ name, payload });
    expect({ outcome, acts, events: runtime.events }).toEqual({
      outcome: { kind: 'rejected', by: 'policy', reason: 'no' },
      acts: [],
      events: ['call.started', 'verdict.reached', 'call.finished'],
    });
  });

  test.each(calls)('%s (%s), while the judge still thinks', async (name, _, payload) => {
    const acts: string[] = [];
    const [asked, answer] = [latch(), latch()];
    const judge: Judge = async () => {
      asked.open();
      await answer.opened;
      return { kind: 'deny', reason: 'no', rule: { name: 'r' } };
    };
    const running = runtimeWith(judge, acts).runCall({ name, payload });
    await asked.opened;
    // Everything that is ready to go on does so.
    await new Promise((resolve) => setImmediate(resolve));
    expect(acts).toEqual([]);
    answer.open();
    expect((await running).outcome.kind).toBe('rejected');
  });
});

function never(): never {
  throw new Error('nothing is judged here');
}

describe('calls inside of calls', () => {
  test('are judged one by one', async () => {
    const acts: string[] = [];
    const judged: Effect['kind'][][] = [];
    const outer = actingTool('outer', async (_, scope) => {
      const inner = await scope.runCall('exec_command', functionCall({ cmd: 'ls' }));
      return textOutput(textOf(inner));
    });
    const judge: Judge = ({ effects }) => {
      judged.push(effects.map(({ kind }) => kind));
      return effects.length === 0
        ? { kind: 'allow', confined: false, grants: [], rule: { name: 'r' } }
        : { kind: 'deny', reason: 'not inside either', rule: { name: 'r' } };
    };
    const result = await runtimeWith(judge, acts, [outer]).runCall({ name: 'outer', payload: functionCall({}) });
    expect({ text: textOf(result), judged, acts }).toEqual({
      text: 'not inside either',
      judged: [[], ['exec']],
      acts: [],
    });
  });
});
