/**
 * Plays a recorded session again: the model says what it said, and everything else is real. Where that goes another way
 * than it did is told.
 */
import { realpathSync } from 'node:fs';

import type { SessionLine } from '../core/session-log.js';
import { createComparison } from './comparison.js';
import type { Divergence } from './divergence.js';
import { playPart } from './play-part.js';
import type { Part, PartOptions } from './play-part.js';
import type { RecordedAct } from './recorded-act.js';
import { recordedAnswers } from './recorded-answers.js';
import { createReplayWatch } from './replay-watch.js';
import type { ReplayWatch } from './replay-watch.js';
import { createSessionRecord } from './session-record.js';
import type { SessionRecord } from './session-record.js';
import { createTranslation } from './translate.js';
import type { Translation } from './translate.js';

export type ReplayOptions = PartOptions & {
  /** Those of the session. */
  readonly lines: readonly SessionLine[];
  /** What else may differ. */
  readonly ignore?: readonly RegExp[];
  /** False leaves out what the model is told beside the user's words. Default true. */
  readonly checkPrompt?: boolean;
  /** Default: it goes on as far as that makes sense. */
  readonly stopAtFirst?: boolean;
  readonly onDivergence: (divergence: Divergence) => void;
};

export type ReplayResult = {
  /** Those that were played. */
  readonly turns: number;
  readonly calls: number;
  readonly divergences: number;
  /** Whether the recording ends in the middle of a turn. */
  readonly isCutOff: boolean;
};

/** Throws a `ConfigError` for settings that cannot be used. */
export async function replaySession(options: ReplayOptions): Promise<ReplayResult> {
  const record = createSessionRecord(options.lines);
  const replay = createSessionRecord();
  const translation = createTranslation({ from: foldersOf(record), to: options.cwd });
  const watch = watchOver({ record, replay, translation }, options);
  const approver = recordedAnswers(record);
  for (const part of partsOf(record.acts)) {
    if (watch.isOver) break;
    await playPart(part, { record, watch, translation, ...(approver && { approver }) }, options);
  }
  return {
    turns: replay.acts.filter(({ kind }) => kind === 'turn').length,
    calls: [...replay.calls.values()].filter(({ settled }) => settled !== undefined).length,
    divergences: watch.divergences,
    isCutOff: record.acts.at(-1)?.kind === 'turn' && record.acts.at(-1)?.end === undefined,
  };
}

/** The folder may have had another name beside its real one. */
function foldersOf({ created, acts }: SessionRecord): readonly string[] {
  const told = acts[0]?.snapshot?.['environment'] as { readonly cwd?: unknown } | undefined;
  const names = [created?.cwd, told?.cwd].filter((name) => typeof name === 'string');
  return [...new Set(names)];
}

type Sides = { readonly record: SessionRecord; readonly replay: SessionRecord; readonly translation: Translation };

function watchOver({ record, replay, translation }: Sides, options: ReplayOptions): ReplayWatch {
  const { cwd, home, ignore = [], checkPrompt = true, stopAtFirst = false, tools, signal, onDivergence } = options;
  const here = [...new Set([cwd, realpathSync(cwd)])];
  const comparison = createComparison({
    record,
    replay,
    ignore,
    checkPrompt,
    toolsArePlayed: tools === 'recorded',
    recordedIn: { folders: foldersOf(record) },
    replayedIn: { folders: here, ...(home !== undefined && { home }) },
  });
  return createReplayWatch({ record, replay, comparison, translation, stopAtFirst, signal, tell: onDivergence });
}

/** What one process did with one set of settings. */
function partsOf(acts: readonly RecordedAct[]): readonly Part[] {
  const parts: [RecordedAct, ...RecordedAct[]][] = [];
  for (const act of acts) {
    const last = parts.at(-1);
    if (last === undefined || act.isRestart || act.settings !== last[0].settings) parts.push([act]);
    else last.push(act);
  }
  return parts;
}
