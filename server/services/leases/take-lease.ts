import { sql } from 'kysely';
import { databaseNow } from '#db/database-now.ts';
import type { App } from '#server/context.ts';

/**
 * Takes or renews a lease for a holder, for a given time from now, and returns whether it is held; only one
 * holder can have it at a time. The database's clock decides, so that a node with a wrong clock takes no
 * lease from another and keeps none forever.
 */
export async function takeLease(app: App, name: string, holder: string, lastsMs: number): Promise<boolean> {
  const now = databaseNow(app.db);
  const expires_at = sql<number>`${now} + ${lastsMs}`;
  const row = await app.db
    .insertInto('leases')
    .values({ name, holder, expires_at })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ holder, expires_at })
        .where((eb) => eb.or([eb('leases.holder', '=', holder), eb('leases.expires_at', '<=', now)])),
    )
    .returning('holder')
    .executeTakeFirst();
  return row?.holder === holder;
}
