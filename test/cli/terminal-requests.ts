/** A program for the tests: it puts one request to the person at its terminal and prints what they decided. */
import { terminalApprover } from '../../src/cli/terminal-approver.js';
import type { ApprovalRequest } from '../../src/core/approval.js';
import { callId } from '../../src/core/ids.js';
import { absolutePath } from '../../src/core/paths.js';

/** What the test wants to be different from a plain command. */
export type Requested = Partial<Pick<ApprovalRequest, 'presentation' | 'previewable' | 'onlyOnce' | 'reason'>>;

const requested: Requested = JSON.parse(process.env['REQUESTED'] ?? '{}');
const request: ApprovalRequest = {
  call: { id: callId('c1'), name: 'run', payload: { kind: 'function', arguments: '{}' } },
  intent: { effects: [{ kind: 'exec', argv: ['make'], cwd: absolutePath('/project') }] },
  presentation: { title: 'Run a command', command: 'make' },
  reason: 'sure?',
  rule: { name: 'test' },
  permission: { confined: true, grants: [] },
  ...requested,
};
const decision = await terminalApprover()?.(request, new AbortController().signal);
process.stdout.write(`\ndecision: ${JSON.stringify(decision)}\n`);
