import type { Trx } from '#db/client.ts';
import type { ResourceLifetimesTable } from '#db/schema/resource-lifetimes.ts';

/** Notes that a site or an endpoint exists from now on, in the transaction that makes it. */
export async function beginLifetime(
  trx: Trx,
  resource: Omit<ResourceLifetimesTable, 'ended_at'>,
): Promise<void> {
  await trx
    .insertInto('resource_lifetimes')
    .values({ ...resource, ended_at: null })
    .execute();
}

/** Notes that it exists no more, in the transaction that deletes it. */
export async function endLifetime(trx: Trx, resourceId: string, now: number): Promise<void> {
  await trx
    .updateTable('resource_lifetimes')
    .set({ ended_at: now })
    .where('resource_id', '=', resourceId)
    .execute();
}

/** Notes that a deletion was undone: to whoever counts, it was never gone. */
export async function resumeLifetime(trx: Trx, resourceId: string): Promise<void> {
  await trx
    .updateTable('resource_lifetimes')
    .set({ ended_at: null })
    .where('resource_id', '=', resourceId)
    .execute();
}
