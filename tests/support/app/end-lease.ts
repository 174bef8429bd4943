import type { App } from '#server/context.ts';

/** Ends a lease, as when its holder has crashed and it has expired. */
export async function endLease({ db }: Pick<App, 'db'>, name: string): Promise<void> {
  await db.updateTable('leases').set({ expires_at: 0 }).where('name', '=', name).execute();
}
