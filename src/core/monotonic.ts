/** Milliseconds of a clock that is never set back. `performance.now()` is the same, but loads a module that nothing else needs. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1_000_000;
}
