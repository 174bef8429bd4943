import { databaseNow } from '#db/database-now.ts';
import type { App } from '#server/context.ts';

/** Returns whether the lease is currently held. */
export async function isLeaseHeld({ db }: App, name: string): Promise<boolean> {
  const row = await db
    .selectFrom('leases')
    .select('name')
    .where('name', '=', name)
    .where('expires_at', '>', databaseNow(db))
    .executeTakeFirst();
  return row !== undefined;
}
