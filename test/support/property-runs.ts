/** How often a property is tried: a sample in the normal suite, a hundred times as much or what is said in the deep one. */
export function propertyRuns(sample: number, deep = sample * 100): { readonly numRuns: number } {
  return { numRuns: process.env['TENON_DEEP'] === undefined ? sample : deep };
}
