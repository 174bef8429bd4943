import type { OrganizationContext } from '#server/context.ts';

/** Rows that are read and compared without a turn for others: some milliseconds. Most organizations have fewer. */
export const SEARCHED_AT_ONCE = 1000;

interface Search<Row> {
  /** Returns at most `limit` rows in order: the first of the page's range, or those after a row. */
  read: (after: Row | undefined, limit: number) => Promise<readonly Row[]>;
  /** Returns those that the search finds, in order. */
  filter: (rows: readonly Row[]) => readonly Row[];
  /** How many are wanted. */
  count: number;
}

/**
 * Returns the first rows that a search finds, for searches that no index can answer. Between batches, others have a
 * turn of the event loop, however many one organization searches at once.
 */
export async function searchInBatches<Row>(
  { app, organization }: OrganizationContext,
  { read, filter, count }: Search<Row>,
): Promise<Row[]> {
  const slice = app.slices.begin(organization.id);
  const found: Row[] = [];
  let after: Row | undefined;
  for (;;) {
    const rows = await read(after, SEARCHED_AT_ONCE);
    found.push(...filter(rows));
    after = rows.at(-1);
    if (found.length >= count || rows.length < SEARCHED_AT_ONCE) return found.slice(0, count);
    await slice.breathe();
  }
}
