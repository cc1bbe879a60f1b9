/** One session in a few words, from a look at those of its lines that say so by their beginning: it may be very long. */
import type { LineOf, SessionLine, SessionSummary } from '../../core/session-log.js';
import type { SessionOnDisk } from './file.js';
import { endOfLine, readBeginning, readLine } from './text.js';

const LONGEST_PREVIEW = 80;
/** Of a text, for its preview. */
const LONGEST_LOOK = 2_000;

/** Throws when it does not begin like a session. What is damaged further on is passed over. */
export function summarize(session: SessionOnDisk): SessionSummary {
  const { cwd, at, forkedFrom } = readBeginning(session);
  return {
    id: session.id,
    cwd,
    createdAt: at,
    usedAt: session.usedAt.toISOString(),
    ...glanceOver(session.bytes),
    ...(forkedFrom && { forkedFrom: forkedFrom.id }),
  };
}

function glanceOver(bytes: Buffer): Seen {
  const glance = createGlance();
  for (let start = 0, end = 0; start < bytes.length; start = end + 1) {
    end = endOfLine(bytes, start);
    if (glance.wants(typeAt(bytes, start))) glance.note(readLine(bytes.subarray(start, end)).line);
  }
  return glance.seen();
}

const BEGINNING = '{"type":"';
const LONGEST_TYPE = 20;

/** Every line of ours begins with its type. */
function typeAt(bytes: Buffer, start: number): string {
  const beginning = bytes.toString('latin1', start, start + BEGINNING.length + LONGEST_TYPE);
  const [type = ''] = beginning.slice(BEGINNING.length).split('"');
  return beginning.startsWith(BEGINNING) ? type : '';
}

type Seen = Omit<SessionSummary, 'id' | 'cwd' | 'createdAt' | 'usedAt' | 'forkedFrom'>;

interface Glance {
  /** Whether a line of this type could still say something. */
  wants(type: string): boolean;
  note(line: SessionLine | undefined): void;
  seen(): Seen;
}

function createGlance(): Glance {
  let seen: Seen = { preview: '', model: '', provider: '', turns: 0, status: 'empty' };
  const questions = createQuestions();

  return {
    wants(type) {
      if (type === 'entry.said') return seen.preview === '';
      if (type.startsWith('call.')) return questions.first() !== undefined;
      return /^(session|settings|turn|question)\./.test(type);
    },
    note(line) {
      questions.note(line);
      if (line?.type === 'session.named') seen = { ...seen, name: line.name };
      if (line?.type === 'settings.chosen') seen = { ...seen, model: line.model, provider: line.provider };
      if (line?.type === 'turn.started') seen = { ...seen, turns: seen.turns + 1, status: 'unfinished' };
      if (line?.type === 'turn.finished') seen = { ...seen, status: line.status };
      if (line?.type === 'entry.said' && line.origin === 'user') seen = { ...seen, preview: previewOf(line.entry) };
    },
    seen() {
      const waitsFor = questions.first();
      return { ...seen, ...(waitsFor !== undefined && { waitsFor }) };
    },
  };
}

type Said = LineOf<'entry.said'>['entry'];

function previewOf({ content }: Said): string {
  const texts = content.flatMap((part) => (part.kind === 'text' ? part.text.slice(0, LONGEST_LOOK) : []));
  const line = texts
    .join(' ')
    .replace(/\s+/gu, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim();
  return [...line].slice(0, LONGEST_PREVIEW).join('');
}

interface Questions {
  note(line: SessionLine | undefined): void;
  /** What the oldest of those asks that nobody has answered. */
  first(): string | undefined;
}

function createQuestions(): Questions {
  let open: readonly LineOf<'question.asked'>[] = [];

  return {
    note(line) {
      switch (line?.type) {
        case 'question.asked':
          open = [...open, line];
          break;
        case 'question.decided':
          open = open.filter(({ id, callId }) => id !== line.id || callId !== line.callId);
          break;
        // Nobody asks any more whether a call may be made that was made, or is over.
        case 'call.intended':
        case 'call.settled':
          open = open.filter(({ callId }) => callId !== line.callId);
          break;
        case 'turn.started':
        case 'turn.finished':
          open = [];
          break;
        default:
      }
    },
    first: () => open[0]?.title,
  };
}
