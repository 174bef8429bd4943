import { expect, it } from 'vitest';
import { countTurns } from '#tests/support/app/count-turns.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { SEARCHED_AT_ONCE, searchInBatches } from './search-in-batches.ts';

async function prepare(total: number, takesMs = 0) {
  const { context } = await createTestPerson(await createTestApp());
  let reads = 0;
  const search = (isFound: (row: number) => boolean, count: number) =>
    searchInBatches(context, {
      read: async (after: number | undefined, limit) => {
        reads += 1;
        const first = after === undefined ? 0 : after + 1;
        return Array.from({ length: Math.min(limit, total - first) }, (_, index) => first + index);
      },
      filter(rows) {
        for (const until = performance.now() + takesMs; performance.now() < until; );
        return rows.filter(isFound);
      },
      count,
    });
  return { search, reads: () => reads };
}

it('a search finds the first rows in order, over batches, and reads no more than it needs', async () => {
  const { search, reads } = await prepare(3 * SEARCHED_AT_ONCE + 5);
  expect(await search((row) => row % 900 === 0, 3)).toEqual([0, 900, 1800]);
  expect(reads()).toBe(2);
  expect(await search((row) => row > 3 * SEARCHED_AT_ONCE, 10)).toEqual([3001, 3002, 3003, 3004]);
  expect(await search(() => false, 10)).toEqual([]);
});

it('many searches of thousands of rows let others have turns', async () => {
  const { search } = await prepare(5 * SEARCHED_AT_ONCE, 10);
  const { turns } = await countTurns(() =>
    Promise.all(Array.from({ length: 5 }, () => search(() => false, 10))),
  );
  expect(turns).toBeGreaterThan(10);
});
