/** Long work in portions: in between others have their turn, and it can be given up. */
export type Pace = (pixels: number) => Promise<void> | undefined;

const PIXELS_A_TURN = 500_000;

/** Told how much was done, it says whether to wait now. */
export function createPace(signal: AbortSignal): Pace {
  let pixels = 0;
  return (done) => {
    pixels += done;
    if (pixels < PIXELS_A_TURN) return undefined;
    pixels = 0;
    return othersTurn(signal);
  };
}

async function othersTurn(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => void setImmediate(resolve));
  signal.throwIfAborted();
}
