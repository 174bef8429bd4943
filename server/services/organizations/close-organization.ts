import type { Trx } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { noteLastLanguage, queueLastMails } from '../billing/invoices/last-mails.ts';
import { cancelMails } from '../mail/cancel-mails.ts';
import { removeWebhooks } from '../webhooks/remove-webhooks.ts';

/**
 * Closes an organization, and returns how many members it had: all memberships end, its invitations are
 * revoked and their messages cancelled, and its handle becomes free. Its billing contact gets links to unpaid
 * invoices. The row stays, because records and invoices refer to it.
 */
export async function closeOrganization(trx: Trx, app: App, id: string, now: number): Promise<number> {
  await noteLastLanguage(trx, id);
  const { numDeletedRows } = await trx
    .deleteFrom('memberships')
    .where('organization_id', '=', id)
    .executeTakeFirstOrThrow();
  const revoked = await trx
    .updateTable('organization_invitations')
    .set({ revoked_at: now })
    .where('organization_id', '=', id)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('id')
    .execute();
  const resource_ids = revoked.map((invitation) => invitation.id);
  await cancelMails(trx, app, { resource_type: 'invitation', resource_ids });
  await removeWebhooks(trx, id);
  await trx
    .updateTable('organizations')
    .set({ handle: null, detached_at: now, updated_at: now })
    .where('id', '=', id)
    .execute();
  await queueLastMails(trx, app, id);
  return Number(numDeletedRows);
}
