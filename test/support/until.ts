import { setTimeout as pause } from 'node:timers/promises';

/**
 * Resolves when something is so; a test that waits for what never comes runs into its own time limit. There is a pause
 * between two looks: without one they would take the processor from what is waited for.
 */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(PAUSE_MS);
}

const PAUSE_MS = 5;
