import type { Executor } from '#db/client.ts';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';

/**
 * Requires that the organization is not suspended now, whatever the request found when it began: for changes
 * that take long. Operators and jobs are always allowed.
 * @throws organization_suspended
 */
export async function requireNotSuspended(executor: Executor, context: OrganizationContext): Promise<void> {
  if (context.actor.kind === 'operator' || context.actor.kind === 'job') return;
  const suspended = await executor
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', context.organization.id)
    .where('suspended_at', 'is not', null)
    .executeTakeFirst();
  if (suspended) throw new AppError('organization_suspended');
}
