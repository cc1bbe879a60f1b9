/** From the names of a recording to those of its replay: the workspace, files of long outputs, commands that go on. */
import type { Answer } from '../core/outcome.js';
import { answerText } from '../core/outcome.js';
import { ARTIFACT, withoutPlace } from './mask.js';

export interface Translation {
  /** The same value with the names of this run in it. */
  of<Value>(recorded: Value): Value;
  /** To be told how a call was answered when it was recorded, and how it is now. */
  learn(recorded: Pick<Answer, 'content'>, replayed: Pick<Answer, 'content'>): void;
  /** To be told of a command that goes on: what it was known by, and what it is now. */
  learnSession(recorded: number, replayed: number): void;
}

export type TranslationOptions = {
  /** The workspace folder, then, under all names that it had, and now. */
  readonly from: readonly string[];
  readonly to: string;
};

export function createTranslation({ from, to }: TranslationOptions): Translation {
  const files = new Map<string, string>();
  const sessions = new Map<string, string>();

  function inText(text: string): string {
    let translated = text;
    for (const folder of from) if (folder !== to) translated = withoutPlace(translated, folder, to);
    for (const [then, now] of files) translated = translated.replaceAll(then, () => now);
    return translated.replace(SESSION, (whole, before: string, id: string) => {
      const now = sessions.get(id);
      return now === undefined ? whole : before + now;
    });
  }

  function of<Value>(recorded: Value): Value {
    if (typeof recorded === 'string') return inText(recorded) as Value;
    if (Array.isArray(recorded)) return recorded.map(of) as Value;
    if (typeof recorded !== 'object' || recorded === null) return recorded;
    return Object.fromEntries(Object.entries(recorded).map(([key, value]) => [key, of(value)])) as Value;
  }

  return {
    of,
    learn(recorded, replayed) {
      const [then, now] = [recorded, replayed].map((answer) => keptFiles(answerText(answer)));
      then?.forEach((file, at) => {
        const here = now?.[at];
        if (here !== undefined) files.set(file, here);
      });
    },
    learnSession: (recorded, replayed) => void sessions.set(String(recorded), String(replayed)),
  };
}

/** As the arguments of a call name it, which are JSON in a text. */
const SESSION = /(\\*"session_id\\*"\s*:\s*\\*"?)(\d+)/g;

function keptFiles(text: string): readonly string[] {
  return text.match(new RegExp(String.raw`${ARTIFACT.source}[\w-]+\.txt`, 'g')) ?? [];
}
