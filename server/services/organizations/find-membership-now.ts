import type { App } from '#server/context.ts';
import { findMembership } from './queries.ts';
import type { Permission } from './rules.ts';

/** What somebody may in an organization that is open to its members. */
export interface MembershipNow {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly permission: Permission;
  readonly features: readonly string[];
}

/**
 * Returns what a person may in an organization at this moment, or null: they are no member, or it is suspended or cut off from
 * where its members are kept. For what acts on somebody's behalf outside a request of theirs.
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
  return {
    organizationId,
    organizationName: organization.name,
    permission,
    features: JSON.parse(organization.features),
  };
}
