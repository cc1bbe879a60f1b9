/** A flag that says how many. */
import { UsageError } from '../usage-error.js';

export function readCount(text: string, flag: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`${flag} ${text}: how many is a number from 1 on`);
  return Number(text);
}
