import type { Trx } from '#db/client.ts';
import { inTransaction } from '#db/transaction.ts';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { cancelMails } from '../mail/cancel-mails.ts';
import { SITE_UNDO_MS } from '../sites/rules.ts';
import { enterManagedOrganization } from './enter-managed-organization.ts';
import { requireOrganizationRight } from './require-organization-right.ts';

/**
 * Deletes an empty organization: nobody belongs to it any more, its invitations are revoked and its short name is free. The
 * row and the audit log stay, since records and bills name it. Sessions that stood in it fall back to their person's own.
 * @throws permission_required, organization_is_personal, organization_managed_elsewhere; organization_not_empty while it
 * has sites (also deleted ones that can be restored), endpoints, buckets or credentials
 */
export async function deleteOrganization(context: OrganizationContext): Promise<void> {
  requireOrganizationRight(context, 'organization.delete');
  const { app } = context;
  await inTransaction(app.db, async (trx) => {
    const { organization } = await enterManagedOrganization(trx, context, 'organization.delete');
    const { id, external_id, name, handle } = organization;
    const now = app.clock.now();
    if (await hasContent(trx, id, now - SITE_UNDO_MS)) throw new AppError('organization_not_empty');
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
    await trx
      .updateTable('organizations')
      .set({ handle: null, detached_at: now, updated_at: now })
      .where('id', '=', id)
      .execute();
    await recordAudit(trx, context, {
      action: 'organization.delete',
      resource_type: 'organization',
      resource_id: id,
      organization_id: id,
      before: { external_id, name, handle, member_count: Number(numDeletedRows) },
    });
  });
}

/** Whether anything is in it that somebody could miss. Whoever adds something waits for us or is seen. */
async function hasContent(trx: Trx, id: string, restorableAfter: number): Promise<boolean> {
  const found = await trx
    .selectFrom('sites')
    .select('id')
    .where('organization_id', '=', id)
    .where((eb) => eb.or([eb('deleted_at', 'is', null), eb('deleted_at', '>', restorableAfter)]))
    .unionAll(trx.selectFrom('cdn_endpoints').select('id').where('organization_id', '=', id))
    .unionAll(trx.selectFrom('credentials').select('id').where('organization_id', '=', id))
    .unionAll(
      trx
        .selectFrom('buckets')
        .select('id')
        .where('organization_id', '=', id)
        .where('status', '!=', 'deleting'),
    )
    .limit(1)
    .execute();
  return found.length > 0;
}
