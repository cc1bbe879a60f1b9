/** `tenon replay`: a recorded session once more, with today's tools and policy, and where it goes another way. */
import path from 'node:path';

import { defaultHome, replaySession } from '../../index.js';
import type { ReplayOptions, ReplayResult, SessionLine } from '../../index.js';
import { createExecLines } from '../exec/exec-lines.js';
import { createPaint } from '../exec/paint.js';
import type { ColorChoice } from '../exec/paint.js';
import { createProgress } from '../exec/progress.js';
import { untilSignal } from '../exec/run-turn.js';
import { threadOf } from '../exec/thread.js';
import { EXIT } from '../exit-codes.js';
import { describeDivergence, describeResult } from '../replay/describe-replay.js';
import { recordedLines } from '../replay/recorded-lines.js';
import { mustWantNothing } from '../replay/recorded-rights.js';
import type { ReplayPolicy } from '../replay/recorded-rights.js';
import { replaySettings } from '../replay/replay-settings.js';
import { note } from '../say.js';
import { sessionFolder } from '../sessions/session-folder.js';
import { UsageError } from '../usage-error.js';
import { visible } from '../visible.js';

export type ReplayFlags = ReplayPolicy & {
  readonly tools: 'real' | 'recorded';
  readonly ignore: readonly string[];
  /** False with `--no-prompt-check`. */
  readonly promptCheck: boolean;
  readonly stop?: boolean;
  /** What it says of its own rights counts. */
  readonly trust?: boolean;
  readonly json?: boolean;
  readonly color: ColorChoice;
};

export async function replay(named: string, flags: ReplayFlags): Promise<number> {
  const ignore = flags.ignore.map(patternOf);
  const { lines, isOurs } = await recordedLines(named);
  const cwd = path.resolve(sessionFolder(folderOf(lines), flags.cd));
  const isTrusted = isOurs || flags.trust === true;
  if (!isTrusted && flags.tools === 'real') await mustWantNothing(lines, cwd, flags);
  const { ended, ...told } = flags.json ? asJson() : forPeople(cwd, flags);
  return untilSignal(async (signal) => {
    const result = await replaySession({
      ...told,
      lines,
      cwd,
      ignore,
      signal,
      home: defaultHome(),
      tools: flags.tools,
      checkPrompt: flags.promptCheck,
      stopAtFirst: flags.stop ?? false,
      settingsFor: (first) => replaySettings(first, { ...flags, cwd, isTrusted }),
    });
    if (signal.aborted) return EXIT.aborted;
    ended(result);
    return result.divergences === 0 ? EXIT.success : EXIT.failed;
  });
}

function patternOf(text: string): RegExp {
  try {
    // Most of what is compared has many lines, and ^ and $ are meant for each of them.
    return new RegExp(text, 'gm');
  } catch (error) {
    throw new UsageError(`--ignore ${text}: ${(error as Error).message}`, { cause: error });
  }
}

function folderOf([created]: readonly SessionLine[]): string {
  return created?.type === 'session.created' ? created.cwd : '.';
}

type Told = Pick<ReplayOptions, 'listeners' | 'onAgent' | 'onTurn' | 'onDivergence'> & {
  readonly ended: (result: ReplayResult) => void;
};

function asJson(): Told {
  const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
  return {
    onDivergence: (divergence) => print({ type: 'divergence.found', ...divergence }),
    ended: ({ isCutOff, ...counts }) => print({ type: 'replay.finished', ...counts, cut_off: isCutOff }),
  };
}

/** The progress goes to standard error, as that of `tenon exec` does; only what differs to standard output. */
function forPeople(cwd: string, { color, tools }: ReplayFlags): Told {
  const paint = createPaint(color, process.stdout);
  const write = (text: string): void => void process.stderr.write(text);
  const lines = createExecLines({
    print: createProgress({ write, paint: createPaint(color, process.stderr) }),
    hideReasoning: false,
  });
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  if (tools === 'recorded') note('no tool is run: each gives what it gave');
  let last: string | undefined;
  return {
    listeners: [(event) => lines.hear(event)],
    onAgent: (agent, config) => lines.start(threadOf(agent, cwd, config)),
    onTurn: ({ message }) => void (last = message),
    onDivergence: (divergence) => say(describeDivergence(divergence, paint)),
    ended(result) {
      if (last !== undefined) write(`${visible(last)}\n`);
      say(describeResult(result, paint));
    },
  };
}
