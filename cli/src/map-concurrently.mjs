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
  let next = 0;
  /** @type {{ error: unknown } | null} */
  let failure = null;
  const run = async () => {
    while (next < items.length && failure === null) {
      const index = next;
      next += 1;
      try {
        results[index] = await work(/** @type {T} */ (items[index]));
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, run));
  if (failure !== null) throw /** @type {{ error: unknown }} */ (failure).error;
  return results;
}
