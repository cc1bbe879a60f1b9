/** How long a server asks to be left alone: `retry-after-ms`, or `retry-after` in seconds or as a date. */
import type { IncomingHttpHeaders } from 'node:http';

/** Never negative; undefined when nothing was said that can be understood. */
export function retryAfterMs(headers: IncomingHttpHeaders, now: number): number | undefined {
  const ms = amount(headers['retry-after-ms']);
  if (ms !== undefined) return ms;
  const text = headers['retry-after'];
  const seconds = amount(text);
  if (seconds !== undefined) return seconds * 1000;
  const date = text !== undefined && /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function amount(text: string | readonly string[] | undefined): number | undefined {
  return typeof text === 'string' && /^ *\d{1,12}(\.\d{0,9})? *$/.test(text) ? Number(text) : undefined;
}
