import type { Executor } from '#db/client.ts';

/** How many names are shown at most; there are rarely more than a few. */
const OWNERS_MAX = 10;

/** Returns the names of an organization's owners, the longest-standing first. */
export async function findOwners(executor: Executor, organizationId: string): Promise<string[]> {
  const rows = await executor
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.full_name', 'users.login'])
    .where('memberships.organization_id', '=', organizationId)
    .where('memberships.permission', '=', 'owner')
    .orderBy('memberships.created_at')
    .limit(OWNERS_MAX)
    .execute();
  return rows.map(({ full_name, login }) => full_name || login);
}
