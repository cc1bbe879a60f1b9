/**
 * Leaves out of a text what is another one each time, so that two runs can be compared: times, folders, numbers of
 * processes. What stands in its place says what it was.
 */

export type Mask = (text: string) => string;

export type MaskOptions = {
  /** The workspace folder of the run, under all names that it has. */
  readonly folders: readonly string[];
  /** Where the run keeps its files, if that is known. */
  readonly home?: string;
  /** Commands that went on after their call: the call that had started each, and what the model knew it by. */
  readonly programs: () => Iterable<readonly [call: string, session: number]>;
  /** What else is of no interest. */
  readonly ignore: readonly RegExp[];
};

export function createMask({ folders, home, programs, ignore }: MaskOptions): Mask {
  const own = [...folders.map((folder) => [folder, '<workspace>'] as const), [home, '<home>'] as const];
  // The deeper one first: the one may lie in the other.
  const places = own.toSorted(([one = ''], [other = '']) => other.length - one.length);
  const ignored = ignore.map(everywhere);
  return (text) => {
    let masked = text;
    for (const pattern of ignored) masked = masked.replace(pattern, '<ignored>');
    masked = masked.replace(ARTIFACT, '<kept>/');
    for (const [place, word] of places) if (place !== undefined) masked = withoutPlace(masked, place, word);
    for (const [call, session] of programs()) masked = masked.replaceAll(wholeNumber(session), `<session of ${call}>`);
    for (const [pattern, word] of PASSING) masked = masked.replace(pattern, word);
    return masked;
  };
}

/** Whoever wrote it need not think of the flag that finds more than the first. */
function everywhere({ source, flags }: RegExp): RegExp {
  return new RegExp(source, flags.includes('g') ? flags : `${flags}g`);
}

/** The same text with a word in the place of a folder; a longer name that only begins like it is left alone. */
export function withoutPlace(text: string, place: string, word: string): string {
  const isEverywhere = /^(?:[A-Za-z]:)?[/\\]*$/.test(place);
  return isEverywhere ? text : text.replaceAll(placePattern(place), () => word);
}

function placePattern(place: string): RegExp {
  return new RegExp(`(?<![\\w.~-])${escaped(place)}(?![\\w-]|\\.\\w)`, 'g');
}

function escaped(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}

function wholeNumber(number: number): RegExp {
  return new RegExp(`(?<![\\w.-])${number}(?![\\w-]|\\.\\d)`, 'g');
}

/** Files of long outputs, whoever kept them. */
export const ARTIFACT = /(?:\/[^\s/"']+){0,40}\/artifacts\/\d+-[0-9a-f]+\//g;

const NUMBER = String.raw`\d+(?:[.,]\d+)?`;

/** In their order: what is more comes first. */
const PASSING: readonly (readonly [pattern: RegExp, word: string])[] = [
  [/^Chunk ID: [0-9a-f]+$/gm, 'Chunk ID: <id>'],
  [/^Wall time: [\d.]+ seconds$/gm, 'Wall time: <time>'],
  [/^Original token count: \d+$/gm, 'Original token count: <count>'],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z| ?[+-]\d\d:?\d\d)?/g, '<time>'],
  [
    /\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}\d{1,2} {1,2}(?:\d\d:\d\d(?::\d\d)?|\d{4})\b/g,
    '<time>',
  ],
  [/\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b/g, '<time>'],
  [new RegExp(String.raw`\b(duration_ms\W{1,3})${NUMBER}`, 'g'), '$1<time>'],
  [new RegExp(String.raw`\b${NUMBER} ?(?:ns|\u00b5s|us|ms)\b`, 'g'), '<time>'],
  [/\b\d+[.,]\d+ ?(?:s|secs?|seconds|m|min|minutes)\b/g, '<time>'],
  [new RegExp(String.raw`\b(in|after|took) ${NUMBER} ?(?:s|secs?|seconds?)\b`, 'g'), '$1 <time>'],
  [/\b(pid|process id)(\W{1,3})\d+/gi, '$1$2<pid>'],
  [/\(tried \d+ times\)/g, '(tried several times)'],
];
