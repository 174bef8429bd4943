import type { App } from '#server/context.ts';

/** Releases a lease, so that another node need not wait for it to expire. */
export async function releaseLease(app: App, name: string, holder: string): Promise<void> {
  await app.db.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute();
}
