/** `<parameter=key>value</parameter>`, one after the other. What they mean is left to the tool, which reads "5" as 5. */
import type { TextScanner } from './text-scanner.js';

const CLOSE = '</parameter>';

export type Parameters = { readonly values: Readonly<Record<string, string>>; readonly end: number };

export function readParameters(text: string, start: number, scanner: TextScanner): Parameters | undefined {
  const open = /\s*<parameter=([\w.-]{1,128})>/y;
  const values: [string, string][] = [];
  let end = start;
  for (;;) {
    open.lastIndex = end;
    const found = open.exec(text);
    if (found === null) break;
    const close = scanner.find(CLOSE, open.lastIndex);
    if (close === undefined) return undefined;
    values.push([found[1] ?? '', withoutLineEnds(text.slice(open.lastIndex, close))]);
    end = close + CLOSE.length;
  }
  return { values: Object.fromEntries(values), end };
}

/** Values stand on lines of their own. */
function withoutLineEnds(value: string): string {
  return value.replace(/^\r?\n/, '').replace(/\r?\n$/, '');
}
