import type { App } from '#server/context.ts';
import type { EdgeChange } from '#server/services/edge-changes/edge-changes.ts';

const CHANGES_AT_ONCE = 1000;

/** Returns the sequence of the newest change, 0 before the first. */
export async function findNewestSequence({ db }: App): Promise<number> {
  const row = await db
    .selectFrom('edge_changes')
    .select(({ fn }) => fn.max('sequence').as('sequence'))
    .executeTakeFirst();
  return row?.sequence ?? 0;
}

/**
 * Returns the changes after a sequence in commit order, at most a thousand; `isLast` when there are no more.
 */
export async function listEdgeChanges(
  { db }: App,
  after: number,
): Promise<{ changes: (EdgeChange & { sequence: number })[]; isLast: boolean }> {
  const changes = await db
    .selectFrom('edge_changes')
    .select(['sequence', 'site_id', 'hostname'])
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(CHANGES_AT_ONCE)
    .execute();
  return { changes, isLast: changes.length < CHANGES_AT_ONCE };
}
