/** `tenon call`: one tool call through the whole pipeline, as the model would make it. */
import { answerText, createRuntime, runtimeOptions } from '../../index.js';
import type { CallResult, Payload, Runtime, RuntimeEvent } from '../../index.js';
import { exitCodeOf } from '../exit-codes.js';
import { readSettings } from '../read-config.js';
import type { PolicyFlags } from '../read-config.js';
import { readStandardInput } from '../standard-input.js';
import { terminalApprover } from '../terminal-approver.js';
import { warnOfRefusedTools } from '../warn-of-refused-tools.js';
import { workspaceFolder } from '../workspace-folder.js';

export type CallFlags = PolicyFlags & { readonly json?: boolean };

export async function callTool(name: string, args: string | undefined, flags: CallFlags): Promise<number> {
  const cwd = workspaceFolder(flags.cd);
  const { config, rules } = await readSettings(cwd, flags);
  const text = args === '-' ? await readStandardInput() : (args ?? '');
  // Standard input that held the arguments has ended and cannot hold an answer.
  const approver = args === '-' ? undefined : terminalApprover();
  const runtime = createRuntime({
    ...runtimeOptions(config),
    rules,
    cwd,
    listeners: [flags.json ? printEvent : warnOfRefusedTools],
    ...(approver && { approver }),
  });
  const result = await runUntilSignal(runtime, name, text);
  if (!flags.json) printAnswer(answerText(result.answer));
  return exitCodeOf(result);
}

const CANCELLING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The first signal cancels the call and lets it answer; a second one ends the program at once. */
async function runUntilSignal(runtime: Runtime, name: string, text: string): Promise<CallResult> {
  const controller = new AbortController();
  const cancel = (): void => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  };
  for (const signal of CANCELLING) process.on(signal, cancel);
  // Nobody reads on, so what runs must not run on either.
  process.stdout.once('error', () => controller.abort());
  try {
    return await runtime.runCall({ name, payload: payloadFor(runtime, name, text) }, { signal: controller.signal });
  } finally {
    for (const signal of CANCELLING) process.off(signal, cancel);
    warnOfSessions(runtime);
    await runtime.close();
  }
}

/** Nobody could speak to them after the program's end. */
function warnOfSessions({ sessions }: Runtime): void {
  for (const { id } of sessions.list()) process.stderr.write(`tenon: session ${id} ends with this program\n`);
}

function payloadFor(runtime: Runtime, name: string, text: string): Payload {
  const custom = runtime.tools.some((tool) => tool.spec.name === name && tool.spec.kind === 'custom');
  return custom ? { kind: 'custom', input: text } : { kind: 'function', arguments: text };
}

function printEvent(event: RuntimeEvent): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

/** Exactly the model's text; only a terminal gets the line end it needs. */
function printAnswer(text: string): void {
  process.stdout.write(process.stdout.isTTY && !text.endsWith('\n') ? `${text}\n` : text);
}
