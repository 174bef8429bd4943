import type { App } from '#server/context.ts';
import { findMembership } from '../queries.ts';
import type { Permission } from '../rules.ts';

/** A person's permission in an organization that is open to its members. */
export interface MembershipNow {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly permission: Permission;
  readonly features: readonly string[];
}

/**
 * Returns a person's current membership in an organization, or null: not a member, blocked by an operator, or
 * the organization is suspended or detached from its identity service. For actions on a person's behalf
 * outside that person's requests.
 */
export async function findMembershipNow(
  { db }: Pick<App, 'db'>,
  userId: string,
  organizationId: string,
): Promise<MembershipNow | null> {
  const membership = await findMembership(db, userId, organizationId);
  if (membership === null) return null;
  const { organization, permission } = membership;
  if (organization.suspended_at !== null || organization.detached_at !== null) return null;
  const blocked = await db
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where('blocked_at', 'is not', null)
    .executeTakeFirst();
  if (blocked) return null;
  return {
    organizationId,
    organizationName: organization.name,
    permission,
    features: JSON.parse(organization.features),
  };
}
