import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { SITE_UNDO_MS } from '../sites/rules.ts';
import { closeOrganization } from './close-organization.ts';
import { enterManagedOrganization } from './enter-managed-organization.ts';
import { findOrganizationsWithContent } from './find-content.ts';
import { requireOrganizationRight } from './require-organization-right.ts';

/**
 * Deletes an empty organization: all memberships end, its invitations are revoked and its handle becomes
 * free. The row and the audit log stay, because records and invoices refer to it. Sessions in it fall back to
 * the person's own workspace.
 * @throws permission_required, organization_is_personal, organization_managed_elsewhere;
 * organization_not_empty while it has sites (including deleted ones that can be restored), endpoints, buckets
 * or credentials
 */
export async function deleteOrganization(context: OrganizationContext): Promise<void> {
  requireOrganizationRight(context, 'organization.delete');
  const { app } = context;
  await inUnitOfWork(context, async ({ trx, now, audit }) => {
    const { organization } = await enterManagedOrganization(trx, context, 'organization.delete');
    const { id, external_id, name, handle } = organization;
    // A concurrent addition waits for us or is seen here.
    const filled = await findOrganizationsWithContent(trx, [id], now - SITE_UNDO_MS);
    if (filled.size > 0) throw new AppError('organization_not_empty');
    const member_count = await closeOrganization(trx, app, id, now);
    await audit({
      action: 'organization.delete',
      resource_type: 'organization',
      resource_id: id,
      organization_id: id,
      before: { external_id, name, handle, member_count },
    });
  });
}
