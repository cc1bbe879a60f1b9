/** A point in time that may lie further off than the system's timers reach. */

/** The most that `setTimeout` takes; anything beyond would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Calls back after that time, never for `Infinity`. The returned function ends the waiting. */
export function startTimer(ms: number, passed: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const wait = (left: number): void => {
    const step = Math.min(left, LONGEST_TIMER_MS);
    timer = setTimeout(() => (left > step ? wait(left - step) : passed()), step);
  };
  if (ms !== Infinity) wait(ms);
  return () => clearTimeout(timer);
}

const UNITS = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
  ['seconds', 1_000],
] as const;

/** In the largest unit of which it is a whole number greater than one: 60 minutes, 90 seconds. */
export function inWords(ms: number): string {
  const unit = UNITS.find(([, length]) => ms % length === 0 && ms > length);
  return unit ? `${ms / unit[1]} ${unit[0]}` : `${ms} ms`;
}
