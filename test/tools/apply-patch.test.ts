import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { ToolFailure } from '../../src/core/errors.js';
import { absolutePath } from '../../src/core/paths.js';
import { createLocalWorkspace } from '../../src/exec/local-workspace.js';
import type { CallResult, Payload, Rule, Runtime, Workspace } from '../../src/index.js';
import { applyPatch } from '../../src/tools/apply-patch.js';
import { commandRuntime } from '../support/commands.js';
import type { CommandRuntime } from '../support/commands.js';
import { propertyRuns } from '../support/property-runs.js';
import { functionCall, textOf } from '../support/runtime.js';
import { attemptsIn, sandboxedRuntime } from '../support/sandboxed.js';
import { tempFolder } from '../support/temp-folder.js';

const envelope = (...lines: readonly string[]): string => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
const free = (input: string): Payload => ({ kind: 'custom', input });
const ADD = envelope('*** Add File: new.txt', '+hello');
const ADDED = 'Success. Updated the following files:\nA new.txt\n';
const VERIFICATION = 'apply_patch verification failed: ';

function applyTo(runtime: Runtime, payload: Payload | string, signal?: AbortSignal): Promise<CallResult> {
  const call = { id: 'p', name: 'apply_patch', payload: typeof payload === 'string' ? free(payload) : payload };
  return runtime.runCall(call, signal && { signal });
}

/** A folder with a few files, full access, and the answer without its wall time. */
function ground(runtime: CommandRuntime = commandRuntime()) {
  const at = (name: string): string => path.join(runtime.folder, name);
  writeFileSync(at('a.txt'), 'one\ntwo\nthree\n');
  writeFileSync(at('b.txt'), 'same\nsame\n');
  return {
    runtime,
    at,
    read: (name: string): string => readFileSync(at(name), 'utf8'),
    names: (): readonly string[] => readdirSync(runtime.folder).filter((name) => name !== '.home'),
    apply: async (payload: Payload | string): Promise<string> => withoutTime(textOf(await applyTo(runtime, payload))),
  };
}

function withoutTime(text: string): string {
  return text.replace(/^(Exit code: \d+\nWall time: )\d+(?:\.\d)?( seconds\nOutput:\n)/, '$1T$2');
}

const ended = (code: number, output: string): string => `Exit code: ${code}\nWall time: T seconds\nOutput:\n${output}`;

describe('a patch is taken however it is handed over', () => {
  test.each<readonly [what: string, payload: Payload]>([
    ['free text', free(ADD)],
    ['the argument input', functionCall({ input: ADD })],
    ['the argument patch', functionCall({ patch: ADD })],
    ['a JSON string', functionCall(JSON.stringify(ADD))],
    ['plain text where arguments should be', functionCall(ADD)],
    ['free text that holds arguments', free(JSON.stringify({ input: ADD }))],
    ['a replacement', functionCall({ file_path: 'new.txt', original_content: '', updated_content: 'hello\n' })],
    ['a replacement of nothing', functionCall({ file_path: 'new.txt', updated_content: 'hello\n' })],
    [
      'free text that holds a replacement',
      free(JSON.stringify({ file_path: 'new.txt', original_content: '', updated_content: 'hello\n' })),
    ],
    ['a unified diff', free('--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+hello\n')],
    ['a here-document', free(`<<'EOF'\n${ADD}\nEOF`)],
    ['a fence', free(`\`\`\`\n${ADD}\n\`\`\``)],
  ])('%s', async (_, payload) => {
    const { apply, read } = ground();
    expect(await apply(payload)).toBe(ended(0, ADDED));
    expect(read('new.txt')).toBe('hello\n');
  });

  test('under its other name', async () => {
    const { runtime, read } = ground();
    const result = await runtime.runCall({ name: 'applypatch', payload: free(ADD) });
    expect(withoutTime(textOf(result))).toBe(ended(0, ADDED));
    expect(read('new.txt')).toBe('hello\n');
  });

  test('a replacement changes the one place that it means', async () => {
    const { apply, read } = ground();
    const change = { file_path: 'a.txt', original_content: 'tw', updated_content: 'tw2' };
    expect(await apply(functionCall(change))).toBe(ended(0, 'Success. Updated the following files:\nM a.txt\n'));
    expect(read('a.txt')).toBe('one\ntw2o\nthree\n');
  });

  test.each<readonly [args: object, words: string]>([
    [
      { file_path: 'b.txt', original_content: 'same', updated_content: 'x' },
      `${VERIFICATION}Failed to find a unique place for original_content in FOLDER/b.txt: it occurs at lines 1 and 2. Give more of the text around it.`,
    ],
    [
      { file_path: 'a.txt', original_content: '', updated_content: 'x' },
      `${VERIFICATION}Failed to add FOLDER/a.txt: it exists and is not empty. Give the text that is to be replaced as original_content.`,
    ],
    [
      { file_path: '', original_content: '', updated_content: 'x' },
      `${VERIFICATION}invalid patch: file_path is empty; give a path relative to the workspace or absolute`,
    ],
    [
      { file_path: 'a.txt', original_content: 'one' },
      'failed to parse function arguments: missing field `updated_content`. Send a JSON object: {file_path: string, original_content: string, updated_content: string}.',
    ],
    [
      { file_path: 'a.txt', original_content: ['one'], updated_content: 'x' },
      'failed to parse function arguments: invalid type: a list, expected a string at `original_content`. Send a JSON object: {file_path: string, original_content: string, updated_content: string}.',
    ],
    [
      { text: ADD },
      'failed to parse function arguments: missing field `input`. apply_patch takes free text: send it as {"input": "…"}.',
    ],
  ])('%j is refused in words', async (args, words) => {
    const { runtime, apply, read, names } = ground();
    expect(await apply(functionCall(args))).toBe(words.replaceAll('FOLDER', runtime.folder));
    expect([names(), read('a.txt'), read('b.txt')]).toEqual([['a.txt', 'b.txt'], 'one\ntwo\nthree\n', 'same\nsame\n']);
  });

  test('a native shell call is no patch', async () => {
    expect(await ground().apply({ kind: 'local_shell', argv: ['x'] })).toMatch(/apply_patch.*free text/);
  });
});

test('whatever is handed over is a patch, or refused in words', () => {
  const value = fc.oneof(
    fc.string(),
    fc.constantFrom(ADD, 'a.txt', ''),
    fc.constant(null),
    fc.integer(),
    fc.array(fc.string()),
  );
  const names = ['input', 'patch', 'file_path', 'original_content', 'updated_content'];
  const fields = fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] });
  const text = fc.oneof(
    fields.map((each) => JSON.stringify(each)),
    fields.map((each) => JSON.stringify(JSON.stringify(each))),
    fc.json(),
    fc.string(),
    fc.string().map((inner) => envelope(inner)),
  );
  const payload = fc.oneof(
    text.map((input): Payload => ({ kind: 'custom', input })),
    text.map((written): Payload => ({ kind: 'function', arguments: written })),
    fc.array(fc.string()).map((argv): Payload => ({ kind: 'local_shell', argv })),
  );
  const read = (given: Payload): unknown => {
    try {
      return applyPatch.parse(given).sections.length > 0;
    } catch (error) {
      return error;
    }
  };
  fc.assert(
    fc.property(payload, (given) => {
      const result = read(given);
      if (result !== true) expect(result).toBeInstanceOf(ToolFailure);
    }),
    propertyRuns(500),
  );
});

describe('what a model is told of it', () => {
  const told = (patchFace: 'freeform' | 'function' | 'structured' | 'none', wire: 'responses' | 'chat') =>
    commandRuntime({ selection: { patchFace } })
      .specs(wire)
      .map((spec) => (wire === 'chat' ? spec['function'] : spec) as Record<string, unknown>)
      .filter((spec) => spec['name'] === 'apply_patch');

  const text = (description: unknown = expect.any(String)): object => ({ type: 'string', description });
  const fields = (properties: object): object => ({
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  });

  test('free text, held to a grammar where the server can and shown it where not', () => {
    expect(told('freeform', 'responses')).toEqual([
      {
        type: 'custom',
        name: 'apply_patch',
        description: expect.stringMatching(/as plain text; do not wrap it in JSON\.$/),
        format: {
          type: 'grammar',
          syntax: 'lark',
          definition: expect.stringMatching(/^start: begin operation\+ end\n/),
        },
      },
    ]);
    expect(told('freeform', 'chat')).toEqual([
      {
        name: 'apply_patch',
        description: expect.stringMatching(/The text must follow this lark grammar:\nstart: begin operation\+ end\n/),
        strict: false,
        parameters: fields({ input: text() }),
      },
    ]);
  });

  test.each(['responses', 'chat'] as const)('an argument, and how a patch looks: %s', (wire) => {
    const [spec] = told('function', wire);
    expect(spec).toMatchObject({ strict: false, parameters: fields({ input: text(expect.stringMatching(/patch/)) }) });
    const example = /^\*\*\* Begin Patch\n[\s\S]*?\*\*\* End Patch$/m.exec(String(spec?.['description']));
    expect(example).not.toBeNull();
  });

  test('the example in the description is a patch that works', async () => {
    const { runtime, apply } = ground();
    mkdirSync(path.join(runtime.folder, 'path/of'), { recursive: true });
    writeFileSync(
      path.join(runtime.folder, 'path/of/old.txt'),
      'a line that stays\na line that goes\ndef the_function_it_is_in\na line that stays\na line that goes\n',
    );
    writeFileSync(path.join(runtime.folder, 'path/of/obsolete.txt'), '');
    const [spec] = told('function', 'responses');
    const [example = ''] = /^\*\*\* Begin Patch\n[\s\S]*?\*\*\* End Patch$/m.exec(String(spec?.['description'])) ?? [];
    expect(await apply(example)).toBe(
      ended(
        0,
        'Success. Updated the following files:\nA path/of/new.txt\nM path/of/renamed.txt\nD path/of/obsolete.txt\n',
      ),
    );
    expect(readFileSync(path.join(runtime.folder, 'path/of/renamed.txt'), 'utf8')).toBe(
      'a line that stays\na line that goes\ndef the_function_it_is_in\na line that stays\na line that comes\n',
    );
  });

  test.each(['responses', 'chat'] as const)('a replacement: %s', (wire) => {
    expect(told('structured', wire)).toMatchObject([
      { strict: false, parameters: fields({ file_path: text(), original_content: text(), updated_content: text() }) },
    ]);
  });

  test('nothing, and it works all the same', async () => {
    expect([told('none', 'responses'), told('none', 'chat')]).toEqual([[], []]);
    expect(await ground(commandRuntime({ selection: { patchFace: 'none' } })).apply(ADD)).toBe(ended(0, ADDED));
  });

  test('the user has the last word: it can be taken away, or told in spite of all', async () => {
    const { runtime, apply, names } = ground(commandRuntime({ selection: { overrides: { apply_patch: false } } }));
    expect(runtime.offered('responses').map(({ name }) => name)).not.toContain('apply_patch');
    expect(await apply(ADD)).toMatch(/^unsupported (custom tool )?call: apply_patch/);
    expect(names()).toEqual(['a.txt', 'b.txt']);
    const insisting = commandRuntime({ selection: { patchFace: 'none', overrides: { apply_patch: true } } });
    expect(insisting.offered('responses').map(({ name }) => name)).toContain('apply_patch');
  });
});

describe('the words that models know', () => {
  test('success names what was added, modified, moved and deleted, as the patch writes it', async () => {
    const { apply, read, names } = ground();
    const patch = envelope(
      '*** Delete File: b.txt',
      '*** Update File: a.txt',
      '*** Move to: moved/a2.txt',
      '@@',
      ' one',
      '-two',
      '+2',
      '*** Add File: ./x.txt',
      '+x',
    );
    expect(await apply(patch)).toBe(
      ended(0, 'Success. Updated the following files:\nA ./x.txt\nM moved/a2.txt\nD b.txt\n'),
    );
    expect([names(), read('moved/a2.txt')]).toEqual([['moved', 'x.txt'], 'one\n2\nthree\n']);
  });

  test('adding over a file replaces it', async () => {
    const { apply, read } = ground();
    expect(await apply(envelope('*** Add File: a.txt', '+other'))).toBe(
      ended(0, 'Success. Updated the following files:\nA a.txt\nnote: a.txt: it was there already, and was replaced\n'),
    );
    expect(read('a.txt')).toBe('other\n');
  });

  const UPDATE = '*** Update File: a.txt';
  test.each<readonly [what: string, patch: string, words: string]>([
    [
      'lines that are not there',
      envelope(UPDATE, '@@', '-nope', ' two'),
      `${VERIFICATION}Failed to find expected lines in FOLDER/a.txt:\nnope\ntwo`,
    ],
    [
      'context that is not there',
      envelope(UPDATE, '@@ nosuchctx', '-two'),
      `${VERIFICATION}Failed to find context 'nosuchctx' in FOLDER/a.txt`,
    ],
    [
      'no file to update',
      envelope('*** Update File: missing.txt', '@@', '-a'),
      `${VERIFICATION}Failed to read file to update FOLDER/missing.txt: No such file or directory (os error 2)`,
    ],
    [
      'no file to delete',
      envelope('*** Delete File: missing.txt'),
      `${VERIFICATION}Failed to read FOLDER/missing.txt: No such file or directory (os error 2)`,
    ],
    [
      'a second section that does not fit',
      envelope('*** Add File: c.txt', '+c', UPDATE, '@@', '-nope'),
      `${VERIFICATION}Failed to find expected lines in FOLDER/a.txt:\nnope`,
    ],
    ['nothing in it', envelope(), 'patch rejected: empty patch'],
    [
      'no first line',
      `${UPDATE}\n@@\n-two`,
      `${VERIFICATION}invalid patch: The first line of the patch must be '*** Begin Patch'`,
    ],
    ['no text', '', `${VERIFICATION}invalid patch: The last line of the patch must be '*** End Patch'`],
    [
      'an unknown header',
      envelope('*** Frobnicate File: x'),
      `${VERIFICATION}invalid hunk at line 2, '*** Frobnicate File: x' is not a valid hunk header. Valid hunk headers: '*** Add File: {path}', '*** Delete File: {path}', '*** Update File: {path}'`,
    ],
    [
      'an update with no lines',
      envelope('*** Update File: moved/a2.txt'),
      `${VERIFICATION}invalid hunk at line 2, Update file hunk for path 'moved/a2.txt' is empty`,
    ],
    [
      'another machine',
      envelope('*** Environment ID: e', '*** Add File: c.txt', '+c'),
      'apply_patch environment selection is unavailable for this turn',
    ],
  ])('%s', async (_, patch, words) => {
    const { runtime, names, read } = ground();
    const result = await applyTo(runtime, patch);
    const known = words.replaceAll('FOLDER', runtime.folder);
    // What helps to mend it may follow.
    expect(textOf(result).slice(0, known.length)).toBe(known);
    expect(textOf(result).slice(known.length)).toMatch(/^(?:$|\n|\. )/);
    expect({ kind: result.outcome.kind, success: result.answer.success }).toEqual({ kind: 'failed', success: false });
    expect([names(), read('a.txt')]).toEqual([['a.txt', 'b.txt'], 'one\ntwo\nthree\n']);
    expect(runtime.record.of('files.changed')).toEqual([]);
  });
});

describe('where writing is not free', () => {
  const NO = 'rejected by user. Do not try the same by other means; propose something else or ask what is wanted.';
  const outside = (file: string): string => envelope(`*** Add File: ${file}`, '+x');

  test.each(['../outside.txt', '/etc/tenon-test.txt', '.git/hooks/pre-commit', '.tenon/rules/x.toml'])(
    'a no leaves %s as it was',
    async (file) => {
      const runtime = sandboxedRuntime();
      const result = await applyTo(runtime, outside(file));
      expect(textOf(result)).toBe(`patch ${NO}`);
      expect(result.outcome).toMatchObject({ kind: 'rejected', by: 'user' });
      const target = path.resolve(runtime.project, file);
      expect(runtime.questions).toMatchObject([
        {
          presentation: { title: `Change ${file}`, diff: `*** Add File: ${file}\n+x` },
          permission: { confined: true, grants: [{ kind: 'write', path: target }] },
        },
      ]);
      expect(existsSync(target)).toBe(false);
    },
  );

  test('a note goes to the model', async () => {
    const runtime = commandRuntime({
      approvalPolicy: 'untrusted',
      approver: async () => ({ kind: 'deny', note: 'not on a Sunday' }),
    });
    expect(textOf(await applyTo(runtime, ADD))).toBe('patch rejected by user: not on a Sunday');
  });

  test('a yes grants exactly the paths that are outside', async () => {
    const runtime = sandboxedRuntime({ answers: ['once'] });
    const target = path.join(runtime.userHome, 'deep/new.txt');
    const patch = envelope(`*** Add File: ${target}`, '+x', '*** Add File: inside.txt', '+y');
    expect(withoutTime(textOf(await applyTo(runtime, patch)))).toBe(
      ended(0, `Success. Updated the following files:\nA ${target}\nA inside.txt\n`),
    );
    expect(attemptsIn(runtime)).toEqual([{ confined: true, grants: [{ kind: 'write', path: target }] }]);
    expect(readFileSync(target, 'utf8')).toBe('x\n');
    await applyTo(runtime, outside(path.join(runtime.userHome, 'other.txt')));
    expect(runtime.questions).toHaveLength(2);
  });

  test.each(['../outside.txt', '.git/config'])('where nobody may be asked, %s is refused', async (file) => {
    const runtime = sandboxedRuntime({ approvalPolicy: 'never' });
    const target = path.resolve(runtime.project, file);
    const result = await applyTo(runtime, outside(file));
    expect(textOf(result)).toBe(
      `patch rejected: ${file.startsWith('.git') ? 'writing to what decides what may run' : 'writing outside of the project'}: ${target}; rejected by user approval settings: the approval policy is never, so nobody can be asked. Reading files, and changing those inside ${runtime.project}, is allowed.`,
    );
    expect(result.outcome).toMatchObject({ kind: 'rejected', by: 'policy' });
    expect(runtime.questions).toEqual([]);
    expect(existsSync(target)).toBe(false);
  });

  test('in a workspace that is only read', async () => {
    const runtime = sandboxedRuntime({ approvalPolicy: 'never', sandboxMode: 'read-only' });
    expect(textOf(await applyTo(runtime, ADD))).toMatch(
      /^patch rejected: writing is blocked by read-only sandbox: \/.*\/project\/new\.txt; rejected by user approval settings: /,
    );
    expect(readdirSync(runtime.project)).toEqual([]);
  });

  test('a move writes both of its names', async () => {
    const runtime = sandboxedRuntime({ approvalPolicy: 'never' });
    writeFileSync(path.join(runtime.userHome, 'theirs.txt'), 'a\n');
    const patch = envelope('*** Update File: ../home/theirs.txt', '*** Move to: mine.txt');
    expect(textOf(await applyTo(runtime, patch))).toMatch(/^patch rejected: writing outside of the project: /);
    expect(existsSync(path.join(runtime.userHome, 'theirs.txt'))).toBe(true);
  });

  test('a link does not lead out', async () => {
    const runtime = sandboxedRuntime({ approvalPolicy: 'never' });
    symlinkSync(runtime.userHome, path.join(runtime.project, 'home'));
    expect(textOf(await applyTo(runtime, outside('home/x.txt')))).toMatch(
      /^patch rejected: writing outside of the project/,
    );
    expect(readdirSync(runtime.userHome)).toEqual([]);
  });

  test('what a rule forbids is not done, whatever the mode', async () => {
    const ruleFile =
      '[[path]]\nwrite = ["PROJECT/locked"]\ndecision = "forbidden"\njustification = "it is kept by hand"\n';
    const runtime = sandboxedRuntime({ ruleFile, sandboxMode: 'danger-full-access' });
    const patch = envelope('*** Add File: free.txt', '+x', '*** Add File: locked/a.txt', '+x');
    const result = await applyTo(runtime, patch);
    expect(textOf(result)).toMatch(/^`\/.*\/project\/locked\/a\.txt` rejected: it is kept by hand\. /);
    expect(result.outcome).toMatchObject({ kind: 'rejected', by: 'policy' });
    expect(readdirSync(runtime.project)).toEqual([]);
  });

  test('a policy that trusts nothing asks with the patch', async () => {
    const runtime = sandboxedRuntime({ approvalPolicy: 'untrusted', answers: ['session'] });
    writeFileSync(path.join(runtime.project, 'a.txt'), 'a\n');
    const sections = ['*** Update File: a.txt\n@@\n-a\n+b', '*** Add File: new.txt\n+x'];
    expect(withoutTime(textOf(await applyTo(runtime, envelope(...sections))))).toMatch(/^Exit code: 0\n/);
    const [first, second] = ['a.txt', 'new.txt'].map((name) => path.join(runtime.project, name));
    expect(runtime.questions).toMatchObject([
      {
        reason: 'the approval policy "untrusted" asks before anything that is not known to be safe',
        presentation: { title: 'Change 2 files', diff: sections.join('\n') },
        intent: {
          effects: [
            { kind: 'write', path: first, diff: sections[0] },
            { kind: 'write', path: second, diff: sections[1] },
            { kind: 'read', path: first },
          ],
        },
      },
    ]);
    await applyTo(runtime, envelope('*** Update File: a.txt', '@@', '-b', '+c'));
    expect(runtime.questions).toHaveLength(1);
  });
});

describe('all of it or nothing', () => {
  test('a folder where a file should be', async () => {
    const { runtime, at, apply, names } = ground();
    mkdirSync(at('dir'));
    expect(await apply(envelope('*** Add File: c.txt', '+c', '*** Add File: dir', '+x'))).toBe(
      `${VERIFICATION}Failed to write file ${runtime.folder}/dir: Is a directory (os error 21)`,
    );
    expect(names()).toEqual(['a.txt', 'b.txt', 'dir']);
  });

  test('a file where a folder should be cannot be written through', async () => {
    const { runtime, apply, names, read } = ground();
    const patch = envelope('*** Delete File: b.txt', '*** Add File: a.txt/below', '+x');
    const text = await apply(patch);
    expect(text).toMatch(/^Exit code: 1\nWall time: T seconds\nOutput:\nFailed to write file \/.*a\.txt.*\n$/);
    expect([names(), read('a.txt'), read('b.txt')]).toEqual([['a.txt', 'b.txt'], 'one\ntwo\nthree\n', 'same\nsame\n']);
    expect(runtime.record.of('files.changed')).toEqual([]);
  });

  test.skipIf(process.getuid?.() === 0)('a folder that may not be written to', async () => {
    const { at, apply, names } = ground();
    mkdirSync(at('locked'), { mode: 0o500 });
    expect(await apply(envelope('*** Add File: c.txt', '+c', '*** Add File: locked/x', '+x'))).toMatch(
      /^Exit code: 1\n[\s\S]*Failed to write file \/.*: permission denied\n$/,
    );
    expect(names()).toEqual(['a.txt', 'b.txt', 'locked']);
  });

  test('a link is written through and stays one', async () => {
    const { at, apply, read } = ground();
    symlinkSync('a.txt', at('link'));
    expect(await apply(envelope('*** Update File: link', '@@', '-two', '+2'))).toBe(
      ended(0, 'Success. Updated the following files:\nM link\n'),
    );
    expect([read('a.txt'), lstatSync(at('link')).isSymbolicLink()]).toEqual(['one\n2\nthree\n', true]);
  });

  test('links in a circle are no file to update', async () => {
    const { at, apply } = ground();
    symlinkSync('y', at('x'));
    symlinkSync('x', at('y'));
    expect(await apply(envelope('*** Update File: x', '@@', '-two'))).toMatch(
      /^apply_patch verification failed: Failed to read file to update \/.*\/x/,
    );
  });

  test('a file keeps its mode, also behind a link and under another name', async () => {
    const { at, apply } = ground();
    for (const name of ['a.txt', 'b.txt', 'c.txt']) {
      writeFileSync(at(name), 'two\n');
      chmodSync(at(name), 0o750);
    }
    symlinkSync('b.txt', at('link'));
    const change = ['@@', '-two', '+2'];
    const moved = ['*** Update File: c.txt', '*** Move to: d.txt', ...change];
    await apply(envelope('*** Update File: a.txt', ...change, '*** Update File: link', ...change, ...moved));
    const files = ['a.txt', 'b.txt', 'd.txt'].map((name) => [readFileSync(at(name), 'utf8'), statSync(at(name)).mode]);
    expect(files).toEqual(files.map(() => ['2\n', 0o100750]));
  });

  test('what somebody else has changed meanwhile is left to them', async () => {
    const folder = tempFolder();
    const workspace = meddled(folder, { change: () => writeFileSync(path.join(folder, 'a.txt'), 'theirs\n') });
    const { runtime, at, apply, read } = ground({ ...commandRuntime({ workspace }), folder });
    const patch = envelope('*** Add File: c.txt', '+c', '*** Update File: a.txt', '@@', '-two', '+2');
    expect(await apply(patch)).toBe(
      ended(
        1,
        `Failed to write file ${at('a.txt')}: somebody else has changed it meanwhile; nothing was written, read it again\n`,
      ),
    );
    expect([read('a.txt'), existsSync(at('c.txt'))]).toEqual(['theirs\n', false]);
    expect(runtime.record.of('files.changed')).toEqual([]);
  });

  test('cancelled before it has begun, it writes nothing', async () => {
    const controller = new AbortController();
    const { runtime, names } = ground(
      commandRuntime({ listeners: [(event) => event.type === 'attempt.started' && controller.abort()] }),
    );
    const result = await applyTo(runtime, ADD, controller.signal);
    expect(result.outcome).toMatchObject({ kind: 'aborted', by: 'signal' });
    expect(names()).toEqual(['a.txt', 'b.txt']);
  });

  test('cancelled while it reads, it writes nothing', async () => {
    const controller = new AbortController();
    const folder = tempFolder();
    const workspace = meddled(folder, { look: () => controller.abort() });
    const { runtime, names } = ground({ ...commandRuntime({ workspace }), folder });
    const result = await applyTo(runtime, ADD, controller.signal);
    expect(result.outcome).toMatchObject({ kind: 'aborted', by: 'signal' });
    expect(names()).toEqual(['a.txt', 'b.txt']);
  });
});

/** This machine, where something happens just before its files are looked at or changed. */
function meddled(folder: string, before: { readonly look?: () => void; readonly change?: () => void }): Workspace {
  const workspace = createLocalWorkspace(absolutePath(folder));
  const { files } = workspace;
  return {
    ...workspace,
    files: {
      ...files,
      async look(file) {
        before.look?.();
        return files.look(file);
      },
      async change(changes) {
        before.change?.();
        await files.change(changes);
      },
    },
  };
}

describe('what is told of it', () => {
  test('it writes these files, runs nothing, and has changed them', async () => {
    const { runtime, at } = ground();
    const section = '*** Update File: a.txt\n@@\n-two\n+2';
    const { outcome } = await applyTo(runtime, envelope(section));
    expect(runtime.record.of('verdict.reached')).toMatchObject([
      {
        effects: [
          { kind: 'write', path: at('a.txt'), diff: section },
          { kind: 'read', path: at('a.txt') },
        ],
      },
    ]);
    expect(runtime.record.of('files.changed')).toMatchObject([
      {
        callId: 'p',
        files: [{ path: at('a.txt'), change: 'modified' }],
        diff: expect.stringMatching(/^diff --git a\/a\.txt b\/a\.txt\n[\s\S]*\n-two\n\+2\n three\n$/),
      },
    ]);
    expect(outcome).toMatchObject({
      output: {
        success: true,
        details: { exit: { kind: 'exited', code: 0 }, text: 'Success. Updated the following files:\nM a.txt\n' },
      },
    });
  });

  test('a long patch is in the call, and not again in what is told', async () => {
    const { runtime } = ground();
    await applyTo(runtime, envelope('*** Add File: long.txt', `+${'x'.repeat(70_000)}`));
    expect(runtime.record.of('verdict.reached')).toMatchObject([
      { effects: [{ kind: 'write', diff: '[the patch is too long to be shown again]' }] },
    ]);
  });

  test('it can be taken back', async () => {
    const { runtime, apply, names, read } = ground();
    await apply(
      envelope('*** Delete File: b.txt', '*** Add File: d/c.txt', '+c', '*** Update File: a.txt', '@@', '-two'),
    );
    expect(names()).toEqual(['a.txt', 'd']);
    expect((await runtime.undo()).kind).toBe('undone');
    expect([names(), read('a.txt'), read('b.txt')]).toEqual([['a.txt', 'b.txt'], 'one\ntwo\nthree\n', 'same\nsame\n']);
  });
});

describe('a file that must not be read', () => {
  const SECRET = 'the password is sesame';
  const NO_SECRETS: Rule = {
    kind: 'path',
    access: 'read',
    patterns: ['/**/.env'],
    decision: 'forbidden',
    file: 'rules.toml',
    line: 1,
  };

  async function refused(patch: string): Promise<string> {
    const { runtime, at } = ground(commandRuntime({ rules: { load: async () => [NO_SECRETS] } }));
    writeFileSync(at('.env'), `${SECRET}\n`);
    return textOf(await applyTo(runtime, patch));
  }

  test.each([
    ['by a patch that does not fit', envelope('*** Update File: .env', '@@', '-the password is', '+x')],
    ['by a copy', 'diff --git a/.env b/c\nsimilarity index 100%\ncopy from .env\ncopy to c\n'],
    ['by moving it', envelope('*** Update File: .env', '*** Move to: c', '@@', ` ${SECRET}`, '+x')],
  ])('is not told %s', async (_, patch) => {
    const text = await refused(patch);
    expect(text).toMatch(/rejected: /);
    expect(text).not.toContain(SECRET);
  });
});
