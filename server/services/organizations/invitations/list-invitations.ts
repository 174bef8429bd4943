import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { readIdCursor, toPage } from '../../shared/pages.ts';
import { requireManagedHere } from '../enter-managed-organization.ts';
import { findOrganization } from '../queries.ts';
import { requireOrganizationRight } from '../require-organization-right.ts';
import { ACTION_PERMISSION, isAllowed, mayGrant } from '../rules.ts';
import { type Invitation, listInvitationsInput } from '../schema.ts';
import { findDeliveries, invitationLink, selectOpenInvitations, toInvitation } from './invitation-queries.ts';

/**
 * Returns a page of the invitations that still work, newest first. A link is shown only to people who may
 * grant its permission themselves: otherwise an administrator could use it to become an owner. The cursor is
 * the last invitation of the previous page.
 * @throws permission_required, person_required, organization_is_personal, organization_managed_elsewhere,
 * invalid_input for an unknown cursor
 */
export async function listInvitations(
  context: OrganizationContext,
  input: z.input<typeof listInvitationsInput>,
): Promise<{ items: Invitation[]; next_cursor: string | null }> {
  // Reading changes nothing: people who may invite also see them while the organization is suspended.
  requireOrganizationRight(context, 'member.read');
  if (!isAllowed(context.organization.permission, 'member.invite')) {
    throw new AppError('permission_required', { permission: ACTION_PERMISSION['member.invite'] });
  }
  const { cursor, limit } = listInvitationsInput.parse(input);
  const { actor, app } = context;
  const { id, permission } = context.organization;
  const organization = await findOrganization(app.db, id);
  if (!organization) throw new AppError('organization_not_found');
  requireManagedHere(organization);
  let query = selectOpenInvitations(app.db, app.clock.now()).where(
    'organization_invitations.organization_id',
    '=',
    id,
  );
  if (cursor !== undefined) query = query.where('organization_invitations.id', '<', readIdCursor(cursor));
  const rows = await query
    .orderBy('organization_invitations.id', 'desc')
    .limit(limit + 1)
    .execute();
  const { page, next_cursor } = toPage(rows, limit, (row) => row.id);
  const deliveries = await findDeliveries(
    app.db,
    page.map((row) => row.id),
  );
  const items = page.map((row) => {
    const isShown = actor.kind === 'person' && mayGrant(permission, row.permission);
    const link = isShown ? invitationLink(app, app.sealer.open(row.token_sealed, row.id)) : null;
    return toInvitation(row, { link, delivery: deliveries.get(row.id) ?? 'none' });
  });
  return { items, next_cursor };
}
