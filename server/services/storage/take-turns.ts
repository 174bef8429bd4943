import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Does a step of each piece of work in turn, until a step says that its work is done: neither a large nor a failing one blocks another.
 * @param step returns whether there is more to do
 * @throws the first failure, once the others are done
 */
export async function takeTurns<Work>(
  work: readonly Work[],
  stopping: AbortSignal,
  step: (of: Work) => Promise<boolean>,
): Promise<void> {
  let waiting = work;
  const failures: unknown[] = [];
  while (waiting.length > 0 && !stopping.aborted) {
    const unfinished: Work[] = [];
    for (const each of waiting) {
      if (stopping.aborted) break;
      try {
        if (await step(each)) unfinished.push(each);
      } catch (error) {
        failures.push(error);
      }
      await nextTurn();
    }
    waiting = unfinished;
  }
  if (failures.length > 0) throw failures[0];
}
