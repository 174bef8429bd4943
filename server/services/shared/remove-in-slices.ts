import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Rows that one statement removes at most, so that it takes milliseconds: an embedded database serves nothing
 * else meanwhile.
 */
export const REMOVED_AT_ONCE = 500;

/**
 * Removes rows slice by slice until none is left, and returns how many.
 * @param remove removes at most this many of them and returns how many it did
 */
export async function removeInSlices(
  remove: (limit: number) => Promise<{ numDeletedRows: bigint }>,
  stopping?: AbortSignal,
): Promise<number> {
  let removed = 0;
  while (!stopping?.aborted) {
    const { numDeletedRows } = await remove(REMOVED_AT_ONCE);
    removed += Number(numDeletedRows);
    if (numDeletedRows < REMOVED_AT_ONCE) break;
    await nextTurn();
  }
  return removed;
}
