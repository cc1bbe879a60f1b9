/** Times as people write and read them. */
import { UsageError } from '../usage-error.js';

const UNITS = { m: 60, h: 3_600, d: 86_400, w: 604_800 } as const;

/** A day (as it begins here), a time, or how long ago: `2026-01-31`, `2026-01-31T12:00`, `2d`. Throws a `UsageError`. */
export function readTime(text: string, flag: string, now = new Date()): Date {
  const [, amount, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  if (amount !== undefined) return new Date(now.getTime() - Number(amount) * 1_000 * UNITS[unit as keyof typeof UNITS]);
  const isTime = /^\d{4}-\d{2}-\d{2}(?:T\S+)?$/.test(text);
  // A day alone would be one of Greenwich.
  const time = new Date(text.includes('T') ? text : `${text}T00:00`);
  if (!isTime || Number.isNaN(time.getTime()))
    throw new UsageError(`${flag} ${text}: write it as 2026-01-31, 2026-01-31T12:00, 30m, 3h, 2d or 1w`);
  return time;
}

/** To the minute. */
export function localTime(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  const two = (amount: number): string => String(amount).padStart(2, '0');
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}
