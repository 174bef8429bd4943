import type { App } from '#server/context.ts';

/** Takes or renews a lease for a holder until `expiresAt`. Returns whether it is held; only one holder can at a time. */
export async function takeLease(app: App, name: string, holder: string, expiresAt: number): Promise<boolean> {
  const row = await app.db
    .insertInto('leases')
    .values({ name, holder, expires_at: expiresAt })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ holder, expires_at: expiresAt })
        .where((eb) =>
          eb.or([eb('leases.holder', '=', holder), eb('leases.expires_at', '<=', app.clock.now())]),
        ),
    )
    .returning('holder')
    .executeTakeFirst();
  return row?.holder === holder;
}
