/** How often a property is tried: a sample in the normal suite, a hundred times as much in the deep one. */
export function propertyRuns(sample: number): { readonly numRuns: number } {
  return { numRuns: process.env['TENON_DEEP'] === undefined ? sample : sample * 100 };
}
