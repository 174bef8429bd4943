/** Sorted or merged in one step. */
const STEP_ITEMS = 128;

/** Sorts in short steps; equal items keep their order. */
export function* sortSteps<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<void, T[], undefined> {
  let runs: T[][] = [];
  for (let start = 0; start < items.length; start += STEP_ITEMS) {
    runs.push(items.slice(start, start + STEP_ITEMS).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(yield* mergeSteps(runs[index] ?? [], runs[index + 1] ?? [], compare));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergeSteps<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<void, T[], undefined> {
  const merged: T[] = [];
  let [fromLeft, fromRight] = [0, 0];
  while (fromLeft < left.length || fromRight < right.length) {
    // Both indexes are below the lengths that are checked first.
    const takesLeft =
      fromRight >= right.length ||
      (fromLeft < left.length && compare(left[fromLeft] as T, right[fromRight] as T) <= 0);
    if (takesLeft) merged.push(left[fromLeft++] as T);
    else merged.push(right[fromRight++] as T);
    if (merged.length % STEP_ITEMS === 0) yield;
  }
  return merged;
}

/** Runs all steps at once and returns their result. */
export function takeSteps<T>(steps: Generator<unknown, T, undefined>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
