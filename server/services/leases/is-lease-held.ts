import { databaseNow } from '#db/database-now.ts';
import type { App } from '#server/context.ts';

/** Whether somebody holds the lease at this moment. */
export async function isLeaseHeld({ db }: App, name: string): Promise<boolean> {
  const row = await db
    .selectFrom('leases')
    .select('name')
    .where('name', '=', name)
    .where('expires_at', '>', databaseNow(db))
    .executeTakeFirst();
  return row !== undefined;
}
