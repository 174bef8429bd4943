import type { Trx } from '#db/client.ts';
import type { ResourceLifetimesTable } from '#db/schema/resource-lifetimes.ts';

/** Records that a site or an endpoint exists from now on, in the transaction that creates it. */
export async function beginLifetime(
  trx: Trx,
  resource: Omit<ResourceLifetimesTable, 'ended_at'>,
): Promise<void> {
  await trx
    .insertInto('resource_lifetimes')
    .values({ ...resource, ended_at: null })
    .execute();
}

/** Records that it no longer exists, in the transaction that deletes it. */
export async function endLifetime(trx: Trx, resourceId: string, now: number): Promise<void> {
  await trx
    .updateTable('resource_lifetimes')
    .set({ ended_at: now })
    .where('resource_id', '=', resourceId)
    .execute();
}

/** Records that a deletion was undone: for all counting, it was never gone. */
export async function resumeLifetime(trx: Trx, resourceId: string): Promise<void> {
  await trx
    .updateTable('resource_lifetimes')
    .set({ ended_at: null })
    .where('resource_id', '=', resourceId)
    .execute();
}
