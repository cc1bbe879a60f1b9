/** Hears the lines of a replay as they are written, and says where they are not those of the recording. */
import type { SessionLine } from '../core/session-log.js';
import { compareBeginning, compareEnd } from './compare-act.js';
import { compareCall } from './compare-call.js';
import type { Comparing } from './compare-call.js';
import type { Divergence } from './divergence.js';
import { createMask } from './mask.js';
import type { MaskOptions } from './mask.js';
import type { RecordedAct } from './recorded-act.js';
import type { SessionRecord } from './session-record.js';

export type ComparisonOptions = Pick<Comparing, 'toolsArePlayed'> & {
  readonly record: SessionRecord;
  /** What is replayed so far. */
  readonly replay: SessionRecord;
  /** Where each of them ran. */
  readonly recordedIn: Places;
  readonly replayedIn: Places;
  /** What else may differ. */
  readonly ignore: readonly RegExp[];
  /** False leaves out what the model is told beside the user's words. */
  readonly checkPrompt: boolean;
};

type Places = Pick<MaskOptions, 'folders' | 'home'>;

export interface Comparison {
  /** The act that is played from now on. */
  begin(act: RecordedAct): void;
  /** What this line shows to be different. It is part of the replay already. */
  after(line: SessionLine): readonly Divergence[];
  /** To be told when nothing more comes of the act. `wasStopped`: because the recording of it ends there. */
  end(how: { readonly wasStopped: boolean }): readonly Divergence[];
}

export function createComparison(options: ComparisonOptions): Comparison {
  const { replay, checkPrompt } = options;
  const comparing = comparingFor(options);
  /** What was said once need not be said in each turn. */
  const said = new Set<string>();
  let act: RecordedAct | undefined;
  let hasBegun = false;
  let compared = 0;

  function beginning(recorded: RecordedAct, replayed: RecordedAct): readonly Divergence[] {
    if (hasBegun || !checkPrompt || !hasAnswered(recorded)) return [];
    hasBegun = true;
    return compareBeginning(recorded, replayed, comparing).filter(isNew);
  }

  function isNew({ what, diff }: Divergence): boolean {
    const text = `${what}\n${diff}`;
    return !said.has(text) && said.add(text) !== undefined;
  }

  /** Those that have ended since it was last looked, in their order and not in that in which they ended. */
  function endedCalls(recorded: RecordedAct, { calls }: RecordedAct): readonly Divergence[] {
    const ended = calls.slice(compared);
    compared = calls.length;
    return ended.flatMap((call) => {
      const before = recorded.calls[call.number - 1];
      return before ? compareCall(recorded.number, before, call, comparing) : [];
    });
  }

  return {
    begin(next) {
      act = next;
      hasBegun = false;
      compared = 0;
    },
    after(line) {
      const now = replay.acts.at(-1);
      if (act === undefined || now === undefined) return [];
      if (line.type === 'answers.given') return endedCalls(act, now);
      return SAID_BY_THE_MODEL.has(line.type) ? beginning(act, now) : [];
    },
    end(how) {
      const now = replay.acts.at(-1);
      if (act === undefined || now === undefined) return [];
      return [...endedCalls(act, now), ...compareEnd(act, now, { ...comparing, ...how })];
    },
  };
}

function comparingFor({
  record,
  replay,
  recordedIn,
  replayedIn,
  ignore,
  toolsArePlayed,
}: ComparisonOptions): Comparing {
  // Only what both have come to know: a number means nothing before its command is there.
  const common = (programs: SessionRecord['programs']) => () =>
    [...programs].filter(([call]) => record.programs.has(call) && replay.programs.has(call));
  return {
    toolsArePlayed,
    recorded: createMask({ ...recordedIn, ignore, programs: common(record.programs) }),
    replayed: createMask({ ...replayedIn, ignore, programs: common(replay.programs) }),
  };
}

/** Otherwise the recording may have been cut off before all was told. */
function hasAnswered({ steps, items, end }: RecordedAct): boolean {
  return steps.length > 0 || items.length > 0 || end !== undefined;
}

/** From here on nothing is added to what the model was told before it began. */
const SAID_BY_THE_MODEL: ReadonlySet<SessionLine['type']> = new Set([
  'item.received',
  'response.read',
  'turn.finished',
]);
