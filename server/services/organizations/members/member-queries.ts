import type { Executor } from '#db/client.ts';
import type { OrganizationContext } from '#server/context.ts';
import { toInstant } from '../../shared/schema.ts';
import { isAllowed, type Permission } from '../rules.ts';
import type { Member } from '../schema.ts';

export interface MemberRow {
  user_id: string;
  login: string;
  full_name: string;
  email: string;
  avatar_url: string | null;
  permission: Permission;
  joined_at: number;
}

/** Starts a read of an organization's members. */
export function selectMembers(executor: Executor, organizationId: string) {
  return executor
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.id as user_id', 'users.login', 'users.full_name', 'users.email', 'users.avatar_url'])
    .select(['memberships.permission', 'memberships.created_at as joined_at'])
    .where('memberships.organization_id', '=', organizationId);
}

/** Returns a member of the organization, or null. */
export async function findMember(
  executor: Executor,
  organizationId: string,
  userId: string,
): Promise<MemberRow | null> {
  const row = await selectMembers(executor, organizationId).where('users.id', '=', userId).executeTakeFirst();
  return row ?? null;
}

/** Returns the row for clients: with the email address only for those who may invite. */
export function toMember({ actor, organization }: OrganizationContext, row: MemberRow): Member {
  const { email, joined_at, ...rest } = row;
  return {
    ...rest,
    email: isAllowed(organization.permission, 'member.invite') ? email : null,
    joined_at: toInstant(joined_at),
    is_you: actor.kind === 'person' && actor.userId === row.user_id,
  };
}
