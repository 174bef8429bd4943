import { isPostgres, type Trx } from '#db/client.ts';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { EMBEDDED_ISSUER } from '../identity/rules.ts';
import { findMembership, type OrganizationRow } from './queries.ts';
import { requireOrganizationRight } from './require-organization-right.ts';
import { isPersonal, type Permission } from './rules.ts';

export interface ManagedOrganization {
  organization: OrganizationRow;
  /** The actor's current permission, which may be less than when the request began. */
  permission: Permission;
}

/**
 * Returns the organization for a change of its profile or its people, locked until the transaction ends,
 * after checking the actor's rights again: of two owners who take away each other's rights at the same time,
 * the first one wins.
 * @throws permission_required, person_required, organization_suspended; organization_not_found when the actor
 * has lost it; organization_is_personal, organization_managed_elsewhere
 */
export async function enterManagedOrganization(
  trx: Trx,
  context: OrganizationContext,
  action: Parameters<typeof requireOrganizationRight>[1],
): Promise<ManagedOrganization> {
  const { actor } = context;
  const { id } = context.organization;
  const organization = await trx
    .selectFrom('organizations')
    .selectAll()
    .where('id', '=', id)
    .where('detached_at', 'is', null)
    .$if(isPostgres(trx), (query) => query.forUpdate())
    .executeTakeFirst();
  if (!organization) throw new AppError('organization_not_found');
  let { permission } = context.organization;
  if (actor.kind === 'person') {
    const membership = await findMembership(trx, actor.userId, id);
    if (!membership) throw new AppError('organization_not_found');
    permission = membership.permission;
  }
  const isSuspended = organization.suspended_at !== null;
  requireOrganizationRight(
    { ...context, organization: { ...context.organization, permission, isSuspended } },
    action,
  );
  requireManagedHere(organization);
  return { organization, permission };
}

/**
 * Requires a named organization that is managed by this installation.
 * @throws organization_is_personal, organization_managed_elsewhere
 */
export function requireManagedHere({ external_id, issuer }: OrganizationRow): void {
  if (isPersonal(external_id)) throw new AppError('organization_is_personal');
  if (issuer !== EMBEDDED_ISSUER) throw new AppError('organization_managed_elsewhere');
}
