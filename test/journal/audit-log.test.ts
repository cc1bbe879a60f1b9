import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';

import { createRuntime } from '../../src/index.js';
import type { RuntimeEvent, RuntimeOptions } from '../../src/index.js';
import { absolutePath } from '../../src/core/paths.js';
import { realPath } from '../../src/exec/real-path.js';
import { createAuditLog } from '../../src/journal/audit-log.js';
import { actingTool, echo, functionCall, testRuntime } from '../support/runtime.js';
import { sandboxedRuntime } from '../support/sandboxed.js';
import { tempFolder } from '../support/temp-folder.js';

function linesOf(file: string): readonly Record<string, unknown>[] {
  const text = readFileSync(file, 'utf8');
  expect(text.endsWith('\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** A runtime with full access, whose record lies in a folder that is not there yet. */
function audited(options: RuntimeOptions = {}) {
  const file = path.join(tempFolder(), 'logs/deep/audit.log');
  const runtime = testRuntime({ tools: [echo], auditLog: file, ...options });
  const say = async (text: string) => runtime.runCall({ name: 'echo', payload: functionCall({ text }) });
  return { file, runtime, say };
}

test('every event is a line, in the order of what happened, for the user alone', async () => {
  const { file, runtime, say } = audited();
  await say('one');
  await runtime.runCall({ name: 'nobody', payload: functionCall({}) });
  await say('two');
  await runtime.close();
  const lines = linesOf(file);
  const [first] = lines;
  expect(lines).toEqual(
    runtime.record.events.map((event) => JSON.parse(JSON.stringify({ run: first?.['run'], ...event }))),
  );
  expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, at) => at + 1));
  expect([statSync(file).mode & 0o777, statSync(path.dirname(file)).mode & 0o777]).toEqual([0o600, 0o700]);
});

test('pieces that are told again as a whole are left out', async () => {
  const { file, runtime } = audited({
    tools: [
      actingTool('talk', async (_, scope) => {
        const capture = scope.capture();
        capture.write(Buffer.from('hello\n'), 'stdout');
        return { content: [{ kind: 'capture', capture }] };
      }),
    ],
  });
  await runtime.runCall({ name: 'talk', payload: functionCall({}) });
  runtime.emit({ type: 'message.delta', turn: 't', text: 'he' });
  runtime.emit({ type: 'reasoning.delta', turn: 't', text: 'hm' });
  runtime.emit({ type: 'message.completed', turn: 't', text: 'hello' });
  await runtime.close();
  expect(runtime.record.of('output.delta').length).toBe(1);
  expect(linesOf(file).map(({ type }) => type)).toEqual([
    'call.started',
    'verdict.reached',
    'attempt.started',
    'call.finished',
    'message.completed',
  ]);
});

test('what a call is about to do is on record before it is done', async () => {
  const seen: unknown[] = [];
  const { file, runtime } = audited({
    tools: [
      actingTool('look', async () => {
        seen.push(...linesOf(file).map(({ type }) => type));
        return { content: [] };
      }),
    ],
  });
  await runtime.runCall({ name: 'look', payload: functionCall({}) });
  expect(seen).toEqual(['call.started', 'verdict.reached', 'attempt.started']);
});

test('what is there already stays, also a line that a crash has cut off', async () => {
  const { file, runtime, say } = audited();
  await say('one');
  await runtime.close();
  const before = readFileSync(file, 'utf8');
  appendFileSync(file, '{"cut":');
  const second = testRuntime({ tools: [echo], auditLog: file });
  await second.runCall({ name: 'echo', payload: functionCall({ text: 'two' }) });
  await second.close();
  const text = readFileSync(file, 'utf8');
  expect(text.startsWith(`${before}{"cut":\n{"run":"`)).toBe(true);
  expect(text.trimEnd().split('\n').length).toBe(before.split('\n').length + 4);
});

test('lines of several programs at once stay whole', async () => {
  const file = path.join(tempFolder(), 'audit.log');
  const size = 100_000;
  const program = `
    const { openSync, writeSync } = require('node:fs');
    const descriptor = openSync(${JSON.stringify(file)}, 'a', 0o600);
    for (let line = 0; line < 50; line += 1) writeSync(descriptor, JSON.stringify({ x: 'x'.repeat(${size}) }) + '\\n');
  `;
  const others = [1, 2].map(() => new Worker(program, { eval: true }));
  const ended = Promise.all(others.map((other) => new Promise((resolve) => other.on('exit', resolve))));
  const log = createAuditLog({ path: absolutePath(file), run: 'r', untrusted: [], realPath });
  for (let seq = 1; seq <= 50; seq += 1) {
    const event: RuntimeEvent = { v: 1, seq, at: 'now', type: 'warning.raised', message: 'y'.repeat(size) };
    log.listener(event);
    await new Promise(setImmediate);
  }
  await ended;
  log.close();
  expect(linesOf(file).length).toBe(150);
});

const DAMAGES: readonly (readonly [string, (file: string) => void, RegExp])[] = [
  ['moved', (file) => renameSync(file, `${file}.old`), /it was moved or removed/],
  ['removed', (file) => rmSync(file), /it was moved or removed/],
  ['replaced', (file) => (rmSync(file), writeFileSync(file, readFileSync('/dev/null'))), /it was moved or removed/],
  ['made shorter', (file) => truncateSync(file, 10), /it was made shorter/],
];

test.each(DAMAGES)('once it was %s, nothing more is run', async (_, damage, why) => {
  let ran = 0;
  const { file, runtime } = audited({
    tools: [
      actingTool('act', async () => {
        ran += 1;
        return { content: [] };
      }),
    ],
  });
  const act = async () => (await runtime.runCall({ name: 'act', payload: functionCall({}) })).outcome;
  expect((await act()).kind).toBe('completed');
  damage(file);
  const after = [await act(), await act()];
  expect({ ran, kinds: after.map(({ kind }) => kind) }).toEqual({ ran: 1, kinds: ['fatal', 'fatal'] });
  expect(after[0]).toMatchObject({ message: expect.stringMatching(why) as string });
});

test('a result that cannot be recorded ends the turn', async () => {
  const { file, runtime } = audited({
    tools: [
      actingTool('erase', async () => {
        rmSync(file);
        return { content: [{ kind: 'text', text: 'secret' }] };
      }),
    ],
  });
  const { outcome } = await runtime.runCall({ name: 'erase', payload: functionCall({}) });
  expect(outcome).toMatchObject({
    kind: 'fatal',
    message: expect.stringContaining('it was moved or removed') as string,
  });
});

test('a disk that takes nothing more stops every call, and listeners hear of it', async () => {
  const { file, runtime, say } = audited({
    tools: [echo, actingTool('odd', async () => ({ content: [], details: { size: 1n } }))],
  });
  // What cannot be written down is the same as a disk that is full.
  await runtime.runCall({ name: 'odd', payload: functionCall({}) });
  const lines = linesOf(file).length;
  expect((await say('one')).outcome).toMatchObject({
    kind: 'fatal',
    message: expect.stringMatching(
      /^the call was not run because it could not be recorded: the audit log .* cannot be kept/,
    ) as string,
  });
  expect(runtime.record.of('listener.failed').map(({ reason }) => reason)).toEqual([expect.stringContaining('BigInt')]);
  expect(linesOf(file).length).toBe(lines);
});

test('a journal of one’s own is kept as well', async () => {
  const told: string[] = [];
  const { say } = audited({
    journal: {
      intended: async ({ call }) => void told.push(`intended ${call.name}`),
      settled: async (call) => void told.push(`settled ${call.name}`),
    },
  });
  await say('one');
  expect(told).toEqual(['intended echo', 'settled echo']);
});

test.each<[string, (folder: string) => string, RegExp]>([
  ['a folder', (folder) => folder, /^the audit log .* cannot be opened: EISDIR/],
  [
    'a link',
    (folder) => {
      symlinkSync(path.join(folder, 'elsewhere'), path.join(folder, 'link'));
      return path.join(folder, 'link');
    },
    /^the audit log .*link cannot be opened: it is a link\. Set audit_log_path/,
  ],
  ['a device', () => '/dev/null', /^the audit log \/dev\/null is not a regular file\. Set audit_log_path to one\./],
  ['below a file', () => '/dev/null/audit.log', /^the audit log .* cannot be opened: ENOTDIR/],
])('%s cannot be one, which is said when the runtime is made', (_, make, message) => {
  const auditLog = make(tempFolder());
  expect(() => createRuntime({ auditLog, sandboxMode: 'danger-full-access' })).toThrow(message);
});

test('it cannot lie where commands may write, not even through a link', () => {
  const root = tempFolder();
  const project = path.join(root, 'project');
  mkdirSync(project);
  symlinkSync(project, path.join(root, 'way'));
  const opening = (auditLog: string) => () =>
    createRuntime({ cwd: project, auditLog, sandbox: { excludeSlashTmp: true, excludeTmpdir: true } });
  const message = `commands may write to ${project}, so it would prove nothing. Set audit_log_path to a file elsewhere.`;
  expect(opening(path.join(project, 'audit.log'))).toThrow(message);
  expect(opening(path.join(root, 'way/audit.log'))).toThrow(message);
  expect(existsSync(path.join(project, 'audit.log'))).toBe(false);
});

test('a confined command cannot change it', async () => {
  const file = path.join(tempFolder(), 'audit.log');
  const runtime = sandboxedRuntime({ auditLog: file });
  const { result } = await runtime.sh(`echo forged >> ${file}; mv ${file} ${file}.old; echo forged > ${file}; true`);
  expect(result.outcome.kind).toBe('completed');
  await runtime.close();
  expect(linesOf(file).map(({ type }) => type)).toContain('call.finished');
  expect(readFileSync(file, 'utf8')).not.toMatch(/^forged/m);
});
