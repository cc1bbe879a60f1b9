/** From the lines of a session back to the conversation they tell of. Nothing is run, and nothing is written. */
import type { ToolCall } from '../core/call.js';
import { callId } from '../core/ids.js';
import type { JsonObject } from '../core/json-object.js';
import { NO_USAGE } from '../core/model.js';
import type { Entry, InputEntry, OutputSchema, ReplyItem, Usage, Wire } from '../core/model.js';
import type { Answer } from '../core/outcome.js';
import type { LineOf, SessionLine } from '../core/session-log.js';
import type { History, Told } from './history.js';
import type { OpenCall } from './open-calls.js';
import type { OwnIds } from './own-ids.js';
import { addUsage, tokensOf } from './usage.js';

export type Past = {
  readonly turns: number;
  readonly total: Usage;
  /** As they were last written. */
  readonly settings?: LineOf<'settings.chosen'>;
  readonly request?: JsonObject;
  /** What the model was last told of its surroundings. */
  readonly told?: JsonObject;
  readonly plan?: LineOf<'plan.updated'>['plan'];
  /** Commands that the model may still think of as running. */
  readonly programs: readonly LineOf<'program.left'>[];
  /** The turn that had not ended, and what it still owes its last response. */
  readonly unfinished?: {
    readonly turn: string;
    /** Whether the user's words are on record: there is nothing to go on with otherwise. */
    readonly isSaid: boolean;
    readonly outputSchema?: OutputSchema;
    /** Over which a response was coming. */
    readonly brokenOff?: Wire;
    readonly calls: readonly OpenCall[];
  };
};

/** `history` and `ids` are filled with what there was. */
export function recall(lines: readonly SessionLine[], history: History, ids: OwnIds): Past {
  const calls = createCallRecord();
  const programs = new Map<number, LineOf<'program.left'>>();
  let items: ReplyItem[] = [];
  let turns = 0;
  let total = NO_USAGE;
  let settings: Past['settings'];
  let request: Past['request'];
  let told: Past['told'];
  let plan: Past['plan'];
  let running: LineOf<'turn.started'> | undefined;
  let isSaid = false;

  function endReply(wire: Wire, usage?: Usage): void {
    history.reply({ kind: 'reply', wire, items });
    items = [];
    if (!usage) return;
    history.counted(tokensOf(usage));
    total = addUsage(total, usage);
  }

  for (const line of lines) {
    calls.note(line);
    switch (line.type) {
      case 'settings.chosen':
        settings = line;
        break;
      case 'request.shaped':
        request = line.request;
        break;
      case 'context.told':
        told = line.snapshot;
        break;
      case 'plan.updated':
        plan = line.plan;
        break;
      case 'program.left':
        programs.set(line.session, line);
        break;
      case 'program.ended':
        // Between two turns it was ended with the program that ran it, and the model does not know.
        if (running) programs.delete(line.session);
        break;
      case 'turn.started':
        turns = Math.max(turns + 1, numberOf(line.turn));
        running = line;
        isSaid = false;
        break;
      case 'turn.finished':
        running = undefined;
        break;
      case 'entry.said':
        history.say(line.entry as InputEntry, line.origin);
        isSaid ||= line.origin === 'user';
        break;
      case 'item.received':
        items.push(line.item as ReplyItem);
        break;
      case 'call.started':
        ids.use(line.callId);
        break;
      case 'response.read':
        endReply(line.wire, line.usage);
        break;
      case 'answers.given':
        history.answer(history.open.map((call, at) => answerTo(call, line.answers[at], calls)));
        break;
      case 'history.replaced':
        history.replace(line.entries.map(toldAs));
        if (line.usage) total = addUsage(total, line.usage);
        break;
      default:
    }
  }
  // The program was stopped while a response came: what had counted of it counts.
  const brokenOff = items.length > 0 ? running?.wire : undefined;
  if (brokenOff) endReply(brokenOff);
  return {
    turns,
    total,
    programs: [...programs.values()],
    ...(told && { told }),
    ...(plan && { plan }),
    ...(settings && { settings }),
    ...(request && { request }),
    ...(running && {
      unfinished: {
        turn: running.turn,
        isSaid,
        ...(running.outputSchema && { outputSchema: running.outputSchema }),
        ...(brokenOff && { brokenOff }),
        calls: history.open.map((call) => calls.stateOf(call)),
      },
    }),
  };
}

/** Turns are counted in their names; one that only told the conversation shorter is in no line. */
function numberOf(turn: string): number {
  return Number(/-(\d+)$/.exec(turn)?.[1] ?? 0);
}

/** What the file says of the calls of the last response. */
interface CallRecord {
  note(line: SessionLine): void;
  /** To be asked for each of them, in order. */
  stateOf(call: ToolCall): OpenCall;
  resultOf(own: string): Answer | undefined;
}

function createCallRecord(): CallRecord {
  const results = new Map<string, Answer>();
  const intended = new Set<string>();
  /** By the model's names, which may be used twice. */
  let started = new Map<string, string[]>();

  return {
    note(line) {
      if (AFTER_ALL_CALLS.has(line.type)) started = new Map();
      if (line.type === 'call.intended') intended.add(line.callId);
      if (line.type === 'call.settled') results.set(line.callId, line.answer as Answer);
      if (line.type === 'call.started') started.set(line.id, [...(started.get(line.id) ?? []), line.callId]);
    },
    resultOf: (own) => results.get(own),
    stateOf(call) {
      const name = started.get(call.id)?.shift();
      if (name === undefined) return { call, state: 'never-started' };
      const own = callId(name);
      const answer = results.get(name);
      if (answer) return { call, own, state: 'done', answer };
      return { call, own, state: intended.has(name) ? 'interrupted' : 'never-started' };
    },
  };
}

/** From here on calls are others, whatever their names. */
const AFTER_ALL_CALLS: ReadonlySet<SessionLine['type']> = new Set([
  'answers.given',
  'entry.said',
  'turn.started',
  'history.replaced',
]);

type Given = LineOf<'answers.given'>['answers'][number];

function answerTo(call: ToolCall, given: Given | undefined, calls: CallRecord): Answer {
  const answer = given && ('of' in given ? calls.resultOf(given.of) : (given.answer as Answer));
  const known = answer ?? { content: [], success: false };
  return { ...known, callId: call.id, payloadKind: call.payload.kind };
}

function toldAs({ entry, origin }: LineOf<'history.replaced'>['entries'][number]): Told {
  return { entry: entry as Entry, origin };
}
