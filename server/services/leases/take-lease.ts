import { sql } from 'kysely';
import { databaseNow } from '#db/database-now.ts';
import type { App } from '#server/context.ts';
import { MINUTE_MS } from '#server/durations.ts';

/** No holder takes a lease for this much longer than the next one. */
const TOO_LONG_MS = 10 * MINUTE_MS;

/**
 * Takes or renews a lease for a holder, for a given time from now, and returns whether it is held; only one
 * holder can have it at a time. The database's clock decides, so that a node with a wrong clock takes no
 * lease from another and keeps none forever. A lease that would last far too long was taken before that clock
 * was set back, and counts as expired.
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
        .where((eb) =>
          eb.or([
            eb('leases.holder', '=', holder),
            eb('leases.expires_at', '<=', now),
            eb('leases.expires_at', '>', sql<number>`${now} + ${lastsMs + TOO_LONG_MS}`),
          ]),
        ),
    )
    .returning('holder')
    .executeTakeFirst();
  return row?.holder === holder;
}
