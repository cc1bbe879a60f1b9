/** The calls of a session, each put together from the lines that are about it, and kept by the line that brought it. */
import type { LineOf, SessionLine } from '../../index.js';

export type Call = {
  readonly kind: 'call';
  readonly name: string;
  /** As the model wrote it. */
  readonly input: string;
  readonly questions: readonly Question[];
  readonly end?: End;
};

/** What the model was answered, and how the call ended, if it did: one that was cut off is answered, too. */
type End = Pick<LineOf<'call.settled'>, 'by' | 'answer'> & Partial<Pick<LineOf<'call.settled'>, 'outcome'>>;

type Question = { readonly id: string; readonly title: string; readonly decision?: string };

export function callsIn(lines: readonly SessionLine[]): ReadonlyMap<SessionLine, Call> {
  const calls = new Map<SessionLine, Call>();
  /** By the names that the model has for calls, which it may use again, and by ours. */
  const latest = new Map<string, SessionLine>();
  const places = new Map<string, SessionLine>();

  function change(callId: string, changed: (call: Call) => Partial<Call>): void {
    changeAt(places.get(callId), changed);
  }

  function changeAt(place: SessionLine | undefined, changed: (call: Call) => Partial<Call>): void {
    const call = place && calls.get(place);
    if (call) calls.set(place, { ...call, ...changed(call) });
  }

  for (const line of lines) {
    switch (line.type) {
      case 'item.received':
        if (line.item.kind !== 'call') break;
        latest.set(line.item.call.id, line);
        calls.set(line, newCall(line.item.call));
        break;
      case 'call.started': {
        const place = latest.get(line.id);
        if (place) places.set(line.callId, place);
        break;
      }
      case 'question.asked':
        change(line.callId, ({ questions }) => ({ questions: [...questions, { id: line.id, title: line.title }] }));
        break;
      case 'question.decided':
        change(line.callId, ({ questions }) => ({ questions: questions.map((each) => decided(each, line)) }));
        break;
      case 'call.settled':
        change(line.callId, () => ({ end: line }));
        break;
      case 'answers.given':
        for (const answer of otherAnswers(line)) {
          changeAt(latest.get(answer.callId), ({ end }) => ({ end: { ...end, answer } }));
        }
        break;
    }
  }
  return calls;
}

/** Those that are not what the call was settled with. */
function otherAnswers({ answers }: LineOf<'answers.given'>): readonly End['answer'][] {
  return answers.flatMap((given) => ('answer' in given ? [given.answer] : []));
}

type ModelCall = Extract<LineOf<'item.received'>['item'], { kind: 'call' }>['call'];

function newCall({ name, payload }: ModelCall): Call {
  return { kind: 'call', name, input: inputOf(payload), questions: [] };
}

function inputOf(payload: ModelCall['payload']): string {
  if (payload.kind === 'function') return payload.arguments;
  return payload.kind === 'custom' ? payload.input : JSON.stringify(payload.argv);
}

function decided(question: Question, { id, decision }: LineOf<'question.decided'>): Question {
  return question.id === id ? { ...question, decision } : question;
}
