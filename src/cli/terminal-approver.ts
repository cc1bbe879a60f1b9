/** Asks the person at the terminal, one question at a time. Without a terminal there is nobody to ask. */
import type { ApprovalRequest, Approver, Decision } from '../index.js';
import { describeEffect, describeGrant, describeRule } from './describe.js';
import { visible } from './visible.js';

/** Undefined when standard input or error is not a terminal. */
export function terminalApprover(): Approver | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  let turn: Promise<unknown> = Promise.resolve();
  return (request, signal) => {
    const answer = turn.then(() => prompt(request, signal));
    turn = answer.catch(() => {});
    return answer;
  };
}

async function prompt(request: ApprovalRequest, signal: AbortSignal): Promise<Decision> {
  // It ended while others were asked, so nobody need hear of it.
  if (signal.aborted) return { kind: 'deny' };
  process.stderr.write(question(request));
  const reply = await ask(choices(request), signal);
  if (reply === undefined) process.stderr.write(`\nNo answer is needed any more: ${visible(reasonOf(signal))}\n`);
  return decisionFor(reply ?? 'no', request);
}

/** What would happen, in full: the words that would be run and where, not only what the model calls it. */
function question(request: ApprovalRequest): string {
  const { presentation, intent, reason, rule, permission, proposal = [] } = request;
  const { title, command, diff } = presentation;
  const lines = [
    `${title}${permission.confined ? '' : ', without a sandbox'}`,
    ...(command === undefined ? [] : [`$ ${command}`]),
    // Where the diff is the very thing that is approved, all of it is shown.
    ...(diff === undefined ? [] : [request.onlyOnce ? diff.replace(/\n$/, '') : beginningOf(diff)]),
    ...intent.effects.map(describeEffect),
    ...permission.grants.map((grant) => `a yes also lets it ${describeGrant(grant)}`),
    `because ${reason}`,
    ...(rule.file === undefined ? [] : [`by the rule in ${rule.file}:${rule.line ?? 1}`]),
  ];
  // Everything below the title is indented, so that no line of the model's can pass for one of ours.
  const what = visible(lines.join('\n')).replaceAll('\n', '\n    ');
  const rules = proposal.map((proposed) => `always: ${visible(describeRule(proposed))}\n`);
  return `\n${what}\n${rules.join('')}`;
}

/** More than anybody reads line by line. */
const MOST_DIFF_LINES = 200;

function beginningOf(diff: string): string {
  const lines = diff.replace(/\n$/, '').split('\n');
  if (lines.length <= MOST_DIFF_LINES) return lines.join('\n');
  const note = `(${lines.length} lines in all; the rest is not shown here)`;
  return [...lines.slice(0, MOST_DIFF_LINES), note].join('\n');
}

function choices({ proposal, previewable, onlyOnce }: ApprovalRequest): string {
  const preview = previewable === true ? '[v]iew first on a copy, ' : '';
  const session = onlyOnce === true ? '' : '[s]ession, ';
  const always = proposal === undefined ? '' : '[p]ermanently, ';
  return `Allow it? [y]es once, ${preview}${session}${always}[n]o (or n and why), [a]bort: `;
}

/** One line from the terminal, or nothing when the question is over. Ctrl-C is an answer, and so is the end of input. */
async function ask(choice: string, signal: AbortSignal): Promise<string | undefined> {
  const { createInterface } = await import('node:readline');
  if (signal.aborted) return undefined;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answered = new AbortController();
  try {
    return await new Promise<string | undefined>((resolve) => {
      terminal.once('SIGINT', () => {
        // What follows begins on a line of its own.
        process.stderr.write('\n');
        resolve('abort');
      });
      terminal.once('close', () => resolve('no'));
      signal.addEventListener('abort', () => resolve(undefined), { once: true, signal: answered.signal });
      terminal.question(choice, resolve);
    });
  } finally {
    answered.abort();
    terminal.close();
  }
}

function reasonOf({ reason }: AbortSignal): string {
  return reason instanceof Error ? reason.message : String(reason);
}

/** What is not understood is a no. What follows an "n" is for the model to read. */
function decisionFor(reply: string, { proposal, previewable }: ApprovalRequest): Decision {
  const text = reply.trim();
  const note = /^(?:n|no)[\s,:]+(.+)$/is.exec(text)?.[1];
  if (note !== undefined) return { kind: 'deny', note };
  switch (text.toLowerCase()) {
    case 'y':
    case 'yes':
      return { kind: 'once' };
    case 'v':
    case 'view':
      return { kind: previewable === true ? 'preview' : 'deny' };
    case 's':
    case 'session':
      return { kind: 'session' };
    case 'p':
    case 'permanently':
      return { kind: proposal === undefined ? 'deny' : 'always' };
    case 'a':
    case 'abort':
      return { kind: 'abort' };
    default:
      return { kind: 'deny' };
  }
}
