import { setImmediate as nextTurn } from 'node:timers/promises';
import { mapConcurrently } from '#server/concurrency/map-concurrently.ts';
import type { App } from '#server/context.ts';
import { openStuckWork } from './open-stuck-work.ts';

/** Items read at once: a backlog of any size takes no more memory than this. */
const SLICE = 200;
/**
 * This many failures without a success in between are an outage, not bad items: the rest is left for the next
 * run.
 */
export const FAILURES_IN_A_ROW_MAX = 20;

interface Work<T> {
  /** The job that does it; failures are recorded under its name. */
  job: string;
  /** Returns the next items by name, at most `limit`, beginning after this one. */
  list(after: string, limit: number): Promise<readonly T[]>;
  nameOf(item: T): string;
  /** Does one item. Returns whether there was anything to do. */
  work(item: T): Promise<boolean>;
  /** Items processed concurrently, for work that mostly waits for others; one unless given. */
  atOnce?: number;
  /** Does `size` items in one go, where that takes less than each by itself; if that fails, they are done one by one. */
  together?: { size: number; work(items: readonly T[]): Promise<number> };
  stopping?: AbortSignal | undefined;
}

/**
 * Processes everything that is listed, slice by slice, and returns how many were done. An item that fails is
 * recorded with its reason, left alone for a growing pause, and does not block others.
 * @throws the last reason when nothing works any more
 */
export async function workThrough<T>(
  app: App,
  { job, list, nameOf, work, atOnce = 1, together, stopping }: Work<T>,
): Promise<number> {
  const stuck = await openStuckWork(app, job);
  let done = 0;
  let failuresInARow = 0;
  let failure: { error: unknown } | null = null;
  let after = '';
  const doItem = async (item: T) => {
    const name = nameOf(item);
    if (stuck.isWaiting(name)) return;
    try {
      if (await work(item)) done += 1;
      failuresInARow = 0;
      await stuck.succeed(name);
    } catch (error) {
      await stuck.fail(name, error);
      failuresInARow += 1;
      failure = { error };
    }
  };
  /** Returns the items that were not done: those that wait, and those that failed with others. */
  const doTogether = async (items: readonly T[], { size, work }: NonNullable<Work<T>['together']>) => {
    const left = items.filter((item) => stuck.isWaiting(nameOf(item)));
    const ready = items.filter((item) => !stuck.isWaiting(nameOf(item)));
    for (let at = 0; at < ready.length && !stopping?.aborted; at += size) {
      const some = ready.slice(at, at + size);
      try {
        done += await work(some);
        for (const item of some) await stuck.succeed(nameOf(item));
      } catch {
        left.push(...some);
      }
    }
    return left;
  };
  const isOutage = () => failure !== null && failuresInARow >= FAILURES_IN_A_ROW_MAX;
  while (!stopping?.aborted) {
    const items = await list(after, SLICE);
    const left = together ? await doTogether(items, together) : items;
    await mapConcurrently(left, atOnce, async (item) => {
      if (!stopping?.aborted && !isOutage()) await doItem(item);
    });
    if (failure !== null && isOutage()) throw (failure as { error: unknown }).error;
    if (stopping?.aborted) return done;
    const last = items.at(-1);
    if (last !== undefined) after = nameOf(last);
    if (items.length < SLICE) break;
    await nextTurn();
  }
  return done;
}
