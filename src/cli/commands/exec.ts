/** `tenon exec`: one turn of a model without anybody at the screen. Everything is checked before the model is asked. */
import { statSync } from 'node:fs';
import path from 'node:path';

import { modelSettings, openAgent, runtimeOptions } from '../../index.js';
import type { Agent, OutputSchema, TurnResult, UserInput } from '../../index.js';
import { createExecLines } from '../exec/exec-lines.js';
import type { ExecLines, LineOptions } from '../exec/exec-lines.js';
import { execSettings } from '../exec/exec-settings.js';
import type { ExecSettings } from '../exec/exec-settings.js';
import { wantsJson } from '../exec/flags.js';
import type { ExecFlags } from '../exec/flags.js';
import { openMessageFile } from '../exec/message-file.js';
import { readOutputSchema } from '../exec/output-schema.js';
import { createPaint } from '../exec/paint.js';
import { createProgress } from '../exec/progress.js';
import { readPrompt } from '../exec/read-prompt.js';
import { EXIT } from '../exit-codes.js';
import { UsageError } from '../usage-error.js';
import { visible } from '../visible.js';
import { workspaceFolder } from '../workspace-folder.js';

export async function runAgent(prompt: string | undefined, flags: ExecFlags): Promise<number> {
  const cwd = path.resolve(workspaceFolder(flags.cd));
  const settings = await execSettings(cwd, flags);
  const outputSchema = flags.outputSchema === undefined ? undefined : readOutputSchema(flags.outputSchema);
  const keepMessage = flags.outputLastMessage === undefined ? undefined : openMessageFile(flags.outputLastMessage);
  const lines = createExecLines({
    print: printerFor(flags),
    hideReasoning: settings.config.hide_agent_reasoning ?? false,
  });
  const agent = await openAgent({ ...settings, cwd, ...placesOf(flags), listeners: [(event) => lines.hear(event)] });
  try {
    if (flags.image.length > 0) refuseBlind(agent, settings);
    const input = await readInput(prompt, flags);
    begin(lines, agent, { cwd, settings });
    const result = await sendUntilSignal(agent, input, outputSchema);
    if (!wantsJson(flags)) printAnswer(result);
    keepMessage?.(result.message ?? '');
    return exitCodeFor(result);
  } finally {
    await agent.close();
  }
}

/** Folders count from where the program was started, as all that is typed does. */
function placesOf({ addDir, oss, localProvider }: ExecFlags): { addDirs: readonly string[]; oss?: boolean | string } {
  for (const folder of addDir) {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      throw new UsageError(`--add-dir ${folder}: there is no such folder`);
  }
  const local = localProvider ?? oss;
  return { addDirs: addDir.map((folder) => path.resolve(folder)), ...(local !== undefined && { oss: local }) };
}

function printerFor(flags: ExecFlags): LineOptions['print'] {
  if (wantsJson(flags)) return (event) => void process.stdout.write(`${JSON.stringify(event)}\n`);
  return createProgress({
    write: (text) => void process.stderr.write(text),
    paint: createPaint(flags.color, process.stderr),
  });
}

/** A model that is known to take no images would be asked about something it never sees. */
function refuseBlind({ model }: Agent, { config }: ExecSettings): void {
  const { name } = model;
  if (modelSettings({ ...config, model: name }).images) return;
  throw new UsageError(
    `--image: ${name} takes no images, as far as is known. Choose another model with -m, or if it does take them: -c 'model_families."${name}".supports_images=true'`,
  );
}

/** Images first, because that is where models expect them, and because nothing has to be waited for. */
async function readInput(prompt: string | undefined, { image }: ExecFlags): Promise<UserInput> {
  if (image.length === 0) return readPrompt(prompt);
  const { readImages } = await import('../exec/read-images.js');
  const images = await readImages(image);
  return [...images, { kind: 'text', text: await readPrompt(prompt) }];
}

function begin(lines: ExecLines, { session, model }: Agent, place: { cwd: string; settings: ExecSettings }): void {
  const { approvalPolicy, sandboxMode } = runtimeOptions(place.settings.config);
  lines.start({
    thread_id: session.id,
    cwd: place.cwd,
    model: model.name,
    provider: model.provider,
    approval_policy: approvalPolicy,
    sandbox_mode: sandboxMode,
  });
}

const CANCELLING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The first signal ends the turn, which then tells how far it came; a second one ends the program at once. */
async function sendUntilSignal(
  { session }: Agent,
  input: UserInput,
  outputSchema: OutputSchema | undefined,
): Promise<TurnResult> {
  const controller = new AbortController();
  const cancel = (): void => {
    if (controller.signal.aborted) process.exit(EXIT.aborted);
    controller.abort();
  };
  for (const signal of CANCELLING) process.on(signal, cancel);
  // Nobody reads on, so nothing must go on either.
  process.stdout.once('error', () => controller.abort());
  try {
    return await session.send(input, { signal: controller.signal, ...(outputSchema && { outputSchema }) });
  } finally {
    for (const signal of CANCELLING) process.off(signal, cancel);
  }
}

/** The answer alone. A program that reads it needs every byte; a terminal must not obey any of them. */
function printAnswer({ status, message }: TurnResult): void {
  if (status !== 'completed' || message === undefined) return;
  const text = process.stdout.isTTY ? visible(message) : message;
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

function exitCodeFor({ status }: TurnResult): number {
  if (status === 'completed') return EXIT.success;
  return status === 'interrupted' ? EXIT.aborted : EXIT.failed;
}
