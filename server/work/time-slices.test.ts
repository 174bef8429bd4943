import { describe, expect, it } from 'vitest';
import { SLICE_MS, TimeSlices } from './time-slices.ts';

function* busySteps(count: number): Generator<void, number, undefined> {
  for (let step = 0; step < count; step += 1) {
    const until = performance.now() + 1;
    while (performance.now() < until) {
      // Busy on purpose.
    }
    yield;
  }
  return count;
}

/** Returns the longest time for which the event loop was blocked. */
async function longestBlock(work: Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  let isOver = false;
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await work;
  isOver = true;
  return longest;
}

describe('long work in slices', () => {
  it('never blocks the event loop for long, even when there is much of it', async () => {
    const slices = new TimeSlices();
    const works = Array.from({ length: 10 }, (_, index) =>
      slices.begin(`key ${index % 3}`).run(busySteps(10 * SLICE_MS)),
    );
    const longest = await longestBlock(Promise.all(works));
    // All of it takes a hundred slices; the machine may have been busy with something else for some of them.
    expect(longest).toBeLessThan(40 * SLICE_MS);
  });

  it('alternates between keys', async () => {
    const slices = new TimeSlices();
    const ended: string[] = [];
    const begin = (key: string) =>
      slices
        .begin(key)
        .run(busySteps(3 * SLICE_MS))
        .then(() => ended.push(key));
    await Promise.all([...Array.from({ length: 6 }, () => begin('many')), begin('one')]);
    expect(ended.indexOf('one')).toBeLessThan(ended.length - 1);
  });
});
