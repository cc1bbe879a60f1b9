/**
 * The conversation: a list of entries, and the bytes in which the model gets them. Each entry is spelled once, when it is
 * added. Two things always hold: every call is answered before anything else is said, and nothing is answered that was
 * not asked.
 */
import type { ToolCall } from '../core/call.js';
import type { AnswersEntry, Entry, InputEntry, Model, ReplyEntry, ReplyItem } from '../core/model.js';
import type { Answer } from '../core/outcome.js';
import { createByteLog } from './byte-log.js';
import { estimateTokens } from './estimate.js';

/** Who said it: what we tell of the surroundings, the user, or what happened in a turn. */
type Origin = 'context' | 'user' | 'turn';

export type Told = { readonly entry: Entry; readonly origin: Origin };

/** The words that models know for a call that was cut off. */
const ABORTED = 'aborted';

export interface History {
  /** All entries, as they are sent. A call that has no answer yet gets one here. */
  bytes(): Uint8Array;
  readonly entries: readonly Told[];
  /** Calls that have no answer yet. */
  readonly open: readonly ToolCall[];
  say(entry: InputEntry, origin: Origin): void;
  reply(entry: ReplyEntry): void;
  /** In any order, and not necessarily all: they are sorted by their calls, and what is missing was cut off. */
  answer(answers: readonly Answer[]): void;
  /** About how many tokens the next request has. */
  tokens(): number;
  /** The server has counted: all of it up to here has this many tokens. */
  counted(tokens: number): void;
  /** How many of them came since it was last told shorter. */
  tokensSinceReplaced(): number;
  /** The same conversation told shorter. */
  replace(entries: readonly Told[]): void;
  /** Goes on with another model, which may spell everything differently. */
  use(model: Model): void;
}

type Encoder = Pick<Model, 'encode'>;

export function createHistory(first: Encoder): History {
  let model = first;
  let log = createByteLog();
  let told: Told[] = [];
  let open: readonly ToolCall[] = [];
  let tokens = 0;
  /** As it was when it was last told shorter: estimated, until the server has counted it. */
  let shortest = 0;
  let isReplaced = false;

  function add(entry: Entry, origin: Origin): void {
    told.push({ entry, origin });
    const text = model.encode(entry);
    const before = log.length;
    // Apart from the text: to put them together first would copy it once more.
    if (text !== '' && before > 0) log.append(',');
    log.append(text);
    tokens += estimateTokens(entry, log.length - before);
  }

  function settle(given: readonly Answer[] = []): void {
    if (open.length === 0) return;
    add(answersTo(open, given), 'turn');
    open = [];
  }

  function restart(entries: readonly Told[]): void {
    log = createByteLog();
    told = [];
    tokens = 0;
    for (const { entry, origin } of entries) add(entry, origin);
  }

  return {
    bytes() {
      settle();
      return log.bytes;
    },
    get entries() {
      return told;
    },
    get open() {
      return open;
    },
    say(entry, origin) {
      settle();
      add(entry, origin);
    },
    reply(entry) {
      settle();
      const items = withoutLastThoughts(entry.items);
      if (items.length === 0) return;
      add({ ...entry, items }, 'turn');
      open = items.flatMap((item) => (item.kind === 'call' ? [item.call] : []));
    },
    answer: settle,
    tokens: () => tokens,
    tokensSinceReplaced: () => tokens - shortest,
    counted(count) {
      // Some servers say zero when they mean that they do not count.
      if (count === 0) return;
      tokens = count;
      if (isReplaced) shortest = count;
      isReplaced = false;
    },
    replace(entries) {
      settle();
      restart(entries);
      shortest = tokens;
      isReplaced = true;
    },
    use(next) {
      settle();
      model = next;
      restart(told);
    },
  };
}

/** Reasoning that led to nothing is refused by the very servers that sent it. */
function withoutLastThoughts(items: readonly ReplyItem[]): readonly ReplyItem[] {
  return items.slice(0, items.findLastIndex(({ kind }) => kind !== 'reasoning') + 1);
}

/** Two calls may have come with one id, so answers are used up in order. */
function answersTo(calls: readonly ToolCall[], given: readonly Answer[]): AnswersEntry {
  const left = [...given];
  const answers = calls.map((call) => {
    const at = left.findIndex(({ callId }) => callId === call.id);
    return at === -1 ? abortedAnswer(call) : (left.splice(at, 1)[0] ?? abortedAnswer(call));
  });
  return { kind: 'answers', answers };
}

function abortedAnswer({ id, payload }: ToolCall): Answer {
  return { callId: id, payloadKind: payload.kind, content: [{ kind: 'text', text: ABORTED }], success: false };
}
