/** Where a replay is written down, compared line by line, and stopped. Nothing of it is kept on disk. */
import type { SessionLine, SessionLog } from '../core/session-log.js';
import type { Answer } from '../core/outcome.js';
import { newSessionId } from '../new-session-id.js';
import type { Comparison } from './comparison.js';
import type { Divergence } from './divergence.js';
import { isAsFar, isCutOff } from './interruption.js';
import type { RecordedAct } from './recorded-act.js';
import type { RecordedCall } from './recorded-call.js';
import type { SessionRecord } from './session-record.js';
import type { Translation } from './translate.js';

export type WatchOptions = {
  readonly record: SessionRecord;
  readonly replay: SessionRecord;
  readonly comparison: Comparison;
  readonly translation: Translation;
  readonly stopAtFirst: boolean;
  /** Whoever plays it may end it; what then differs is their doing. */
  readonly signal?: AbortSignal | undefined;
  readonly tell: (divergence: Divergence) => void;
};

export interface ReplayWatch {
  readonly log: SessionLog;
  readonly lines: readonly SessionLine[];
  /** `interrupt` ends the turn that runs. */
  begin(act: RecordedAct, interrupt: () => void): void;
  end(): void;
  /** The model has nothing more to say in a turn that was stopped. */
  silent(): void;
  /** Whether nothing more is to be played. */
  readonly isOver: boolean;
  readonly divergences: number;
}

export function createReplayWatch(options: WatchOptions): ReplayWatch {
  const { record, replay, comparison, translation, stopAtFirst } = options;
  const lines: SessionLine[] = [];
  let playing: { readonly act: RecordedAct; readonly interrupt: () => void } | undefined;
  let isSilent = false;
  let wasStopped = false;
  let divergences = 0;

  const isOver = (): boolean => (stopAtFirst && divergences > 0) || options.signal?.aborted === true;

  function tell(found: readonly Divergence[]): void {
    for (const divergence of found) {
      if (isOver()) break;
      divergences += 1;
      options.tell(divergence);
    }
    if (isOver()) playing?.interrupt();
  }

  function stopIfDue(): void {
    const now = replay.acts.at(-1);
    if (playing === undefined || now === undefined || wasStopped) return;
    if (!(isSilent || isCutOff(playing.act)) || !isAsFar(playing.act, now)) return;
    wasStopped = true;
    playing.interrupt();
  }

  /** As it was recorded, for a call of the replay. */
  function counterpart(callId: string): RecordedCall | undefined {
    const call = replay.calls.get(callId);
    return call && playing?.act.calls[call.number - 1];
  }

  function learn(line: SessionLine): void {
    if (line.type === 'call.settled') {
      const settled = counterpart(line.callId)?.settled;
      if (settled) translation.learn(settled.answer as Answer, line.answer as Answer);
    }
    if (line.type === 'program.left') {
      const session = record.programs.get(counterpart(line.callId)?.own ?? '');
      if (session !== undefined) translation.learnSession(session, line.session);
    }
  }

  return {
    lines,
    log: {
      id: newSessionId(),
      append(line) {
        lines.push(line);
        replay.take(line);
        learn(line);
        tell(comparison.after(line));
        stopIfDue();
      },
      durable: () => Promise.resolve(),
      close: () => {},
    },
    begin(act, interrupt) {
      playing = { act, interrupt };
      isSilent = false;
      wasStopped = false;
      comparison.begin(act);
    },
    end() {
      tell(comparison.end({ wasStopped }));
      playing = undefined;
    },
    silent() {
      isSilent = true;
      stopIfDue();
    },
    get isOver() {
      return isOver();
    },
    get divergences() {
      return divergences;
    },
  };
}
