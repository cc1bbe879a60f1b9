/**
 * The lines of a session sorted by turn, response and call: what a replay is made from, and what it is compared by.
 * They may come one by one, so that a session can be looked at while it is written.
 */
import type { LineOf, SessionLine } from '../core/session-log.js';
import type { Draft } from './draft.js';
import { createProgramRecord } from './program-record.js';
import { noteInAct } from './recorded-act.js';
import type { RecordedAct } from './recorded-act.js';
import { noteOfCall } from './recorded-call.js';
import type { RecordedCall } from './recorded-call.js';

export interface SessionRecord {
  readonly created: LineOf<'session.created'> | undefined;
  readonly acts: readonly RecordedAct[];
  /** By what they are called here. */
  readonly calls: ReadonlyMap<string, RecordedCall>;
  /** Commands that went on after their call: the call that had started each, and what the model knew it by. */
  readonly programs: ReadonlyMap<string, number>;
  /** What was written before anything happened: what the session began with, if it is a copy of another one. */
  readonly beginning: readonly SessionLine[];
  take(line: SessionLine): void;
}

export function createSessionRecord(lines: readonly SessionLine[] = []): SessionRecord {
  const acts: Draft<RecordedAct>[] = [];
  const calls = new Map<string, Draft<RecordedCall>>();
  const programs = createProgramRecord();
  const beginning: SessionLine[] = [];
  let created: LineOf<'session.created'> | undefined;
  /** What holds until something else is said. */
  let standing: Pick<RecordedAct, 'settings' | 'request' | 'snapshot'> = {};

  function begin(kind: RecordedAct['kind']): Draft<RecordedAct> {
    const number = acts.filter((act) => act.kind === kind).length + 1;
    const act = {
      kind,
      number,
      isRestart: programs.closed(),
      said: [],
      context: [],
      steps: [],
      items: [],
      calls: [],
      ...standing,
    };
    acts.push(act);
    return act;
  }

  /** Where a line belongs that is not of a call. */
  function actFor(line: SessionLine): Draft<RecordedAct> | undefined {
    const last = acts.at(-1);
    if (last?.kind === 'turn' && last.end === undefined) return last;
    return line.type === 'history.replaced' && line.reason !== 'forked' ? begin('shortening') : undefined;
  }

  /** One that gets the result of another call is not a call of its own. */
  function start({ id, callId }: LineOf<'call.started'>): void {
    const made = acts.at(-1)?.calls ?? [];
    const call = made.find((each) => each.own === undefined && each.call.id === id) as Draft<RecordedCall> | undefined;
    if (call === undefined) return;
    if (calls.has(callId)) made.splice(made.indexOf(call), 1);
    else calls.set(callId, Object.assign(call, { own: callId }));
  }

  /** Commands are spoken of before the user is heard only when their process was stopped while they ran. */
  function tellsOfRestart(act: RecordedAct, line: SessionLine): boolean {
    return line.type === 'entry.said' && line.origin === 'turn' && act.said.length === 0 && programs.stopped();
  }

  const record: SessionRecord = {
    get created() {
      return created;
    },
    acts,
    calls,
    programs: programs.known,
    beginning,
    take(line) {
      if (line.type === 'session.created') created ??= line;
      if (line.type === 'settings.chosen') standing = { ...standing, settings: line };
      if (line.type === 'request.shaped') standing = { ...standing, request: line.request };
      if (line.type === 'context.told') standing = { ...standing, snapshot: line.snapshot };
      if (line.type === 'turn.started') begin('turn').started = line;
      if (line.type === 'call.started') start(line);
      programs.note(line, acts.at(-1)?.end !== undefined);
      const act = actFor(line);
      if (act && tellsOfRestart(act, line)) act.isRestart = true;
      if (act) noteInAct(act, line);
      else if (acts.length === 0) beginning.push(line);
      const call = 'callId' in line && calls.get(wholeOf(line.callId, calls));
      if (call) noteOfCall(call, line);
    },
  };
  for (const line of lines) record.take(line);
  return record;
}

/** What is a part of another call is told with that one. */
function wholeOf(callId: string, calls: ReadonlyMap<string, unknown>): string {
  return calls.has(callId) ? callId : callId.replace(/(?:\.\d+)+$/, '');
}
