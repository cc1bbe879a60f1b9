/**
 * What reading and comparing patterns may cost. Strangers write them, and whatever they wrote, nobody has to wait for it
 * for long. Steps are counted and not time, so that the same tree has the same answer each time.
 */
export type Effort = { left: number };

/** These take some tenths of a second. */
const MOST_STEPS = 50_000_000;
/** Several times what the longest ignore files that people use take. */
const STEPS_AN_ENTRY = 30_000;

export function createEffort(): Effort {
  return { left: MOST_STEPS };
}

/** Many entries may take more steps than few. What is used up once stays so. */
export function addEntry(effort: Effort): void {
  if (!isSpent(effort)) effort.left = Math.min(effort.left + STEPS_AN_ENTRY, MOST_STEPS);
}

export function isSpent({ left }: Effort): boolean {
  return left < 0;
}
