import type { Trx } from '#db/client.ts';

/** Removes the webhooks of an organization that is being closed, with their waiting messages. */
export async function removeWebhooks(trx: Trx, organizationId: string): Promise<void> {
  await trx.deleteFrom('webhooks').where('organization_id', '=', organizationId).execute();
}
