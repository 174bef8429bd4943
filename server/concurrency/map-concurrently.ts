/**
 * Returns the results in the order of the items, with at most `limit` calls at a time. After the first
 * failure no new call begins, and it rejects once the current ones have ended, so that nothing continues
 * behind the caller's back.
 */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  limit: number,
  call: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  let failure: { error: unknown } | null = null;
  const worker = async () => {
    while (next < items.length && failure === null) {
      const index = next;
      next += 1;
      try {
        // The index is below the length, and our lists have no holes.
        results[index] = await call(items[index] as T, index);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  const failed = failure as { error: unknown } | null;
  if (failed) throw failed.error;
  return results;
}
