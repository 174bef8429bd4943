import type { Executor } from '#db/client.ts';
import { type Actor, type OrganizationContext, requireAction } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { refreshCredential } from '../credentials/refresh-credential.ts';
import { resolveOrganization } from './resolve-organization.ts';
import type { Action } from './rules.ts';

/**
 * Returns the context of a request as it is now, for a change that takes long: what the request found when it began
 * may have been revoked since.
 * @throws unauthenticated when the person's session has ended, credential_invalid when the credential was revoked,
 * organization_not_found, permission_required, organization_suspended
 */
export async function enterAgain(
  executor: Executor,
  context: OrganizationContext,
  action: Action,
): Promise<OrganizationContext> {
  const actor = await findActorNow(executor, context.actor);
  const now = await resolveOrganization({ ...context, actor }, context.organization.id, executor);
  requireAction(now, action);
  return now;
}

async function findActorNow(executor: Executor, actor: Actor): Promise<Actor> {
  if (actor.kind === 'credential') return refreshCredential(executor, actor);
  if (actor.kind !== 'person') return actor;
  const session = await executor
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', actor.sessionId)
    .executeTakeFirst();
  if (!session) throw new AppError('unauthenticated');
  return actor;
}
