/** Asks the person at the terminal. Without a terminal there is nobody to ask. */
import type { ApprovalRequest, Approver, Decision, Effect } from '../index.js';
import { visible } from './visible.js';

/** Undefined when standard input or error is not a terminal. */
export function terminalApprover(): Approver | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  return async (request, signal) => {
    process.stderr.write(question(request));
    return decisionFor(await ask('Allow it? [y]es, [n]o, [a]bort: ', signal));
  };
}

/** One line from the terminal. Ctrl-C is an answer too, and so is the end of the input. */
async function ask(prompt: string, signal: AbortSignal): Promise<string> {
  const { createInterface } = await import('node:readline');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise<string>((resolve) => {
    const answer = (text: string): void => {
      resolve(text);
      terminal.close();
    };
    terminal.once('SIGINT', () => answer('abort'));
    terminal.once('close', () => answer('no'));
    signal.addEventListener('abort', () => answer('abort'), { once: true });
    terminal.question(prompt, answer);
  });
}

/** What would happen, in full: the words that would be run and where, not only what the model calls it. */
function question({ presentation, intent, reason, permission }: ApprovalRequest): string {
  const { title, command, diff } = presentation;
  const lines = [
    `${title}${permission.confined ? '' : ', without a sandbox'}`,
    ...(command === undefined ? [] : [`$ ${command}`]),
    ...(diff === undefined ? [] : [diff]),
    ...intent.effects.map(describeEffect),
    `because ${reason}`,
  ];
  // Everything below the title is indented, so that no line of the model's can pass for one of ours.
  return `\n${visible(lines.join('\n')).replaceAll('\n', '\n    ')}\n`;
}

function describeEffect(effect: Effect): string {
  switch (effect.kind) {
    case 'exec':
      return `runs ${JSON.stringify(effect.argv)} in ${effect.cwd}`;
    case 'read':
    case 'write':
      return `${effect.kind}s ${effect.path}`;
    case 'connect':
      return `connects to ${effect.host}`;
    case 'type':
      return `types ${JSON.stringify(effect.text)} into session ${effect.session}`;
    case 'remote':
      return `calls ${effect.server}/${effect.tool}`;
  }
}

function decisionFor(reply: string): Decision {
  const word = reply.trim().toLowerCase();
  if (word === 'y' || word === 'yes') return { kind: 'once' };
  if (word === 'a' || word === 'abort') return { kind: 'abort' };
  return { kind: 'deny' };
}
