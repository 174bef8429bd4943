import type { Executor } from '#db/client.ts';
import { AppError } from '#server/errors.ts';

/**
 * Requires that the organization has an owner besides this member. Only reliable while the organization is
 * locked.
 * @throws last_owner
 */
export async function requireOtherOwner(
  executor: Executor,
  organizationId: string,
  userId: string,
): Promise<void> {
  const other = await executor
    .selectFrom('memberships')
    .select('user_id')
    .where('organization_id', '=', organizationId)
    .where('permission', '=', 'owner')
    .where('user_id', '!=', userId)
    .limit(1)
    .execute();
  if (other.length === 0) throw new AppError('last_owner');
}
