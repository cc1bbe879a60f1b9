/** One turn of a model, told as it happens. Everything is checked before the model is asked. */
import { modelSettings, openAgent } from '../../index.js';
import type {
  Agent,
  KeptSession,
  OutputSchema,
  RuntimeEvent,
  SendOptions,
  TurnResult,
  UserInput,
} from '../../index.js';
import { EXIT } from '../exit-codes.js';
import { openOutputFile } from '../output-file.js';
import { note } from '../say.js';
import { UsageError } from '../usage-error.js';
import { visible } from '../visible.js';
import { createExecLines } from './exec-lines.js';
import type { LineOptions } from './exec-lines.js';
import type { ExecSettings } from './exec-settings.js';
import { wantsJson } from './flags.js';
import type { ExecFlags } from './flags.js';
import { readOutputSchema } from './output-schema.js';
import { createPaint } from './paint.js';
import { createProgress } from './progress.js';
import { threadOf } from './thread.js';

type Session = Agent['session'];

export type TurnSetup = {
  readonly cwd: string;
  readonly settings: ExecSettings;
  /** Absent: nothing is kept. */
  readonly kept?: KeptSession;
  /** What the user says; without it, the turn that was cut off goes on. */
  readonly words: (session: Session) => Promise<UserInput | undefined>;
};

/** Resolves to the exit code. */
export async function runTurn(flags: ExecFlags, turn: TurnSetup): Promise<number> {
  const { settings, cwd, kept } = turn;
  const outputSchema = flags.outputSchema === undefined ? undefined : readOutputSchema(flags.outputSchema);
  const { outputLastMessage: file } = flags;
  const keepMessage = file === undefined ? undefined : openOutputFile(file, '--output-last-message');
  const lines = createExecLines({
    print: printerFor(flags),
    hideReasoning: settings.config.hide_agent_reasoning ?? false,
  });
  const listeners = [(event: RuntimeEvent) => lines.hear(event)];
  const agent = await openAgent({ ...settings, cwd, listeners, ...(kept && { kept }) });
  try {
    if (flags.image.length > 0) refuseBlind(agent, settings);
    const words = await turn.words(agent.session);
    lines.start(threadOf(agent, cwd, settings.config));
    const result = await untilSignal((signal) => speak(agent.session, words, { signal, ...asSchema(outputSchema) }));
    if (!wantsJson(flags)) printAnswer(result);
    if (!wantsJson(flags) && kept && !flags.ephemeral) offerToGoOn(result, agent.session);
    keepMessage?.(result.message ?? '');
    return exitCodeFor(result);
  } finally {
    await agent.close();
  }
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

function asSchema(outputSchema: OutputSchema | undefined): Pick<SendOptions, 'outputSchema'> {
  return outputSchema ? { outputSchema } : {};
}

async function speak(session: Session, words: UserInput | undefined, options: SendOptions): Promise<TurnResult> {
  return words === undefined ? session.goOn(options) : session.send(words, options);
}

const CANCELLING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The first signal ends the turn, which then tells how far it came; a second one ends the program at once. */
export async function untilSignal<Result>(run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const cancel = (): void => {
    if (controller.signal.aborted) process.exit(EXIT.aborted);
    controller.abort();
  };
  for (const signal of CANCELLING) process.on(signal, cancel);
  // Nobody reads on, so nothing must go on either.
  process.stdout.once('error', () => controller.abort());
  try {
    return await run(controller.signal);
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

/** Whoever stopped it, or met a server that failed, may want to pick it up again. */
function offerToGoOn({ status }: TurnResult, { id }: Session): void {
  if (status !== 'completed') note(`to go on with this session: tenon resume ${id} 'PROMPT'`);
}

function exitCodeFor({ status }: TurnResult): number {
  if (status === 'completed') return EXIT.success;
  return status === 'interrupted' ? EXIT.aborted : EXIT.failed;
}
