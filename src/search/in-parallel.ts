/** Its other name. */
import { sideBySide } from '../core/side-by-side.js';

export function inParallel<Item, Result>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  return sideBySide(items, work, width);
}
