/**
 * Calls that a model wrote into its text because it, or its server, knows no better way. Only what is a call in one of the
 * known forms, whole, and of a tool that the model was told of, is taken for one; everything else stays text.
 *
 *   <tool_call>{"name": …, "arguments": …}</tool_call>       also several, also with its end cut off by a server
 *   ```json, tool_call or nothing … ```                      the same in a fence
 *   [TOOL_CALLS][…]  <|python_tag|>{…}  {…}                  the same behind a mark, or as the whole message
 *   <function=name>{…}</function>                            arguments alone
 *   <function=name><parameter=key>value</parameter>…</function>
 */
import { createTextScanner } from './text-scanner.js';
import type { TextScanner } from './text-scanner.js';
import { readNamedCall, readTextCalls } from './text-call.js';
import type { TextCall } from './text-call.js';
import { readParameters } from './text-parameters.js';

/** `text` is what stands around the calls. */
export type FoundCalls = { readonly text: string; readonly calls: readonly TextCall[] };

export function findTextCalls(text: string, toolNames: readonly string[]): FoundCalls {
  const scene: Scene = { text, scanner: createTextScanner(text), names: new Set(toolNames) };
  const whole = wholeMessage(scene);
  if (whole !== undefined) return { text: '', calls: whole };
  const calls: TextCall[] = [];
  let around = '';
  let at = 0;
  let fence: Fence | undefined;
  for (const opening of openingsIn(text)) {
    if (opening.start < at) continue;
    const closesFence: boolean = fence !== undefined && opening.mark === FENCE;
    const found = closesFence || isQuoted(opening, fence) ? undefined : readOpened(scene, opening);
    if (found === undefined) {
      if (opening.mark.startsWith(FENCE)) fence = closesFence ? undefined : fenceAt(text, opening);
      continue;
    }
    for (const call of found.calls) calls.push(call);
    around += text.slice(at, opening.start);
    at = found.end;
  }
  return calls.length === 0 ? { text, calls } : { text: (around + text.slice(at)).trim(), calls };
}

type Scene = { readonly text: string; readonly scanner: TextScanner; readonly names: ReadonlySet<string> };

function wholeMessage({ text, scanner, names }: Scene): readonly TextCall[] | undefined {
  const { values, end } = scanner.valuesAt(0);
  return text.slice(end).trim() === '' ? readTextCalls(values, { names, argumentsNeeded: true }) : undefined;
}

/** A piece of code or text that is open. */
type Fence = {
  /** Where its first word is. */
  readonly content: number;
  /** Whether it has a line to itself; what only mentions one holds nothing. */
  readonly isBlock: boolean;
};

function fenceAt(text: string, { start, body }: Opening): Fence {
  const blanks = /\s*/y;
  blanks.lastIndex = body;
  blanks.test(text);
  return { content: blanks.lastIndex, isBlock: start === 0 || text[start - 1] === '\n' };
}

/** A model that shows a file does not mean what is written there. */
function isQuoted({ start, mark }: Opening, fence: Fence | undefined): boolean {
  return fence !== undefined && fence.isBlock && !mark.startsWith(FENCE) && start > fence.content;
}

type Opening = {
  /** `code` is a fence around anything but JSON. */
  readonly kind: 'fence' | 'code' | 'tag' | 'mark' | 'function';
  readonly mark: string;
  /** Which function; empty for the others. */
  readonly name: string;
  readonly start: number;
  /** Behind it. */
  readonly body: number;
};

function openingsIn(text: string): readonly Opening[] {
  return Array.from(text.matchAll(OPENING), (found): Opening => {
    const [mark, name = ''] = found;
    return { kind: kindOf(mark), mark, name, start: found.index, body: found.index + mark.length };
  });
}

const FENCE = '```';

/** No part of it can grow without bound, so looking for it is never slow. */
const OPENING =
  /```[\w+#.-]{0,30}|(?:<tool_call>\s{0,9})?<function=([\w.-]{1,128})>|<tool_call>|\[TOOL_CALLS\]|<\|python_tag\|>/g;

function kindOf(mark: string): Opening['kind'] {
  if (mark.startsWith(FENCE)) return /^```(json|tool_calls?)?$/.test(mark) ? 'fence' : 'code';
  if (mark.includes('<function=')) return 'function';
  return mark === '<tool_call>' ? 'tag' : 'mark';
}

const CLOSINGS = {
  fence: /\s*(?:```|$)/y,
  tag: /\s*(?:<\/tool_call>|$)/y,
  mark: /(?=)/y,
  function: /\s*<\/function>(?:\s{0,9}<\/tool_call>)?/y,
} as const;

type Opened = { readonly calls: readonly TextCall[]; readonly end: number };

function readOpened(scene: Scene, opening: Opening): Opened | undefined {
  if (opening.kind === 'code') return undefined;
  const inside = opening.kind === 'function' ? readFunction(scene, opening) : readBody(scene, opening);
  if (inside === undefined) return undefined;
  const closing = new RegExp(CLOSINGS[opening.kind]);
  closing.lastIndex = inside.end;
  return closing.test(scene.text) ? { calls: inside.calls, end: closing.lastIndex } : undefined;
}

/** A fence may hold any JSON, so there a call has to look like one in all its parts. */
function readBody({ scanner, names }: Scene, { kind, body }: Opening): Opened | undefined {
  const { values, end } = scanner.valuesAt(body);
  const calls = readTextCalls(values, { names, argumentsNeeded: kind === 'fence' });
  return calls && { calls, end };
}

function readFunction({ text, scanner, names }: Scene, { name, body }: Opening): Opened | undefined {
  if (!names.has(name)) return undefined;
  const { values, end } = scanner.valuesAt(body);
  if (values.length > 0) return opened(readNamedCall(name, values[0]), end);
  const parameters = readParameters(text, body, scanner);
  return parameters && opened(readNamedCall(name, parameters.values), parameters.end);
}

function opened(call: TextCall | undefined, end: number): Opened | undefined {
  return call && { calls: [call], end };
}
