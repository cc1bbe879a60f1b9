/** The same work for many things, some at a time. When one fails, no other is begun, and it is told when all are at rest. */

/** More than the four that the system works on at once, so that none of them waits for us. */
const AT_ONCE = 16;

/** What comes back is in the order of the items. */
export async function sideBySide<Item, Value>(
  items: readonly Item[],
  work: (item: Item) => Promise<Value>,
  atOnce = AT_ONCE,
): Promise<Value[]> {
  const values: Value[] = [];
  const failures: { readonly index: number; readonly error: unknown }[] = [];
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) {
      try {
        values[index] = await work(item);
      } catch (error) {
        failures.push({ index, error });
      }
      if (failures.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  const [first] = failures.toSorted((a, b) => a.index - b.index);
  if (first !== undefined) throw first.error;
  return values;
}
