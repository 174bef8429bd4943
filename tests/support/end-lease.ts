import type { App } from '#server/context.ts';

/** Lets a lease be over, as when its holder has crashed and its time has passed. */
export async function endLease({ db }: Pick<App, 'db'>, name: string): Promise<void> {
  await db.updateTable('leases').set({ expires_at: 0 }).where('name', '=', name).execute();
}
