import type { App } from '#server/context.ts';

/** Gives a lease back, so that another node need not wait for its end. */
export async function releaseLease(app: App, name: string, holder: string): Promise<void> {
  await app.db.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute();
}
