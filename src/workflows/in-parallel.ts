/** The work of all items, `limit` of them at a time; answers in the order of the items. The first failure is thrown once all that began has ended. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const failures: unknown[] = [];
  const rest = [...items.entries()];
  const lane = async (): Promise<void> => {
    for (let next = rest.shift(); next !== undefined && failures.length === 0; next = rest.shift()) {
      const [index, item] = next;
      try {
        results[index] = await work(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  if (failures.length > 0) throw failures[0];
  return results;
}
