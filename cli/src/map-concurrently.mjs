/**
 * Returns the results of `work` for every item, in order, with at most `limit` at once. The first failure
 * stops new work and is thrown once all running work has ended.
 * @template T, R
 * @param {readonly T[]} items
 * @param {number} limit
 * @param {(item: T) => Promise<R>} work
 * @returns {Promise<R[]>}
 */
export async function mapConcurrently(items, limit, work) {
  /** @type {R[]} */
  const results = new Array(items.length);
  await eachConcurrently(items.entries(), limit, async ([index, item]) => {
    results[index] = await work(item);
  });
  return results;
}

/**
 * Does `work` for every item, with at most `limit` at once; an item is taken only when its turn has come. Failures are
 * treated as by {@link mapConcurrently}.
 * @template T
 * @param {Iterable<T>} items
 * @param {number} limit
 * @param {(item: T) => Promise<void>} work
 */
export async function eachConcurrently(items, limit, work) {
  const queue = items[Symbol.iterator]();
  /** @type {{ error: unknown } | null} */
  let failure = null;
  const run = async () => {
    while (failure === null) {
      const next = queue.next();
      if (next.done) return;
      try {
        await work(next.value);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, run));
  if (failure !== null) throw /** @type {{ error: unknown }} */ (failure).error;
}
