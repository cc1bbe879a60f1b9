/**
 * A program for the tests: it asks questions at its terminal, all at once, and prints what the model would read. The
 * signal SIGUSR2 answers one of them from elsewhere. It ends by itself once all are answered.
 */
import { object, string } from 'zod/mini';

import { terminalApprover } from '../../src/cli/terminal-approver.js';
import { absolutePath, answerText, createRuntime, defineTool, textOutput } from '../../src/index.js';
import type { ApprovalDeadline, ProposedRule } from '../../src/index.js';
import { createMemoryWorkspace } from '../../src/testing/index.js';

export type Questions = {
  /** One call for each, whose id and argument it is. */
  readonly names: readonly string[];
  readonly proposal?: readonly ProposedRule[];
  readonly approvalDeadline?: ApprovalDeadline;
  /** Which one is answered from elsewhere. */
  readonly elsewhere?: string;
};

const { names, proposal, approvalDeadline, elsewhere }: Questions = JSON.parse(process.env['QUESTIONS'] ?? '{}');
const approver = terminalApprover();

const touch = defineTool({
  name: 'touch',
  description: 'Touches a file.',
  input: object({ name: string() }),
  concurrency: 'shared',
  intent: ({ name }) => ({ effects: [{ kind: 'write', path: absolutePath(`/${name}`) }] }),
  present: ({ name }) => ({ title: `Touch ${name}` }),
  run: ({ name }) => textOutput(`touched ${name}`),
});

const runtime = createRuntime({
  builtinTools: [],
  tools: [touch],
  workspace: createMemoryWorkspace(),
  judge: () => ({
    kind: 'ask',
    reason: 'sure?',
    rule: { name: 'test' },
    confined: true,
    grants: [],
    ...(proposal && { proposal }),
  }),
  confine: (workspace) => workspace,
  keepRules: async (rules) => rules.map((_, index) => ({ name: 'kept', file: 'rules.toml', line: index + 1 })),
  listeners: [(event) => void (event.type === 'rule.saved' && process.stdout.write(JSON.stringify(event.rules)))],
  ...(approver && { approver }),
  ...(approvalDeadline && { approvalDeadline }),
});

process.on('SIGUSR2', () => {
  const known = runtime.approvals.answer(elsewhere ?? '', { kind: 'once' });
  process.stdout.write(`\n${elsewhere} answered elsewhere: ${known}\n`);
});
process.stdout.write(`pid ${process.pid}\n`);
const results = await Promise.all(
  names.map((name) =>
    runtime.runCall({ id: name, name: 'touch', payload: { kind: 'function', arguments: JSON.stringify({ name }) } }),
  ),
);
await runtime.close();
process.stdout.write(results.map(({ answer }) => `\nmodel reads: ${answerText(answer)}`).join(''));
