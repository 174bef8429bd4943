import type { Executor } from '#db/client.ts';
import type { CredentialActor } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { findActorScopes } from './queries.ts';

/**
 * Returns the actor of a credential with its current scopes, for a change that takes long. It may have expired since:
 * a deploy that began in time ends.
 * @throws credential_invalid for one that has been revoked since its request began
 */
export async function refreshCredential(
  executor: Executor,
  actor: CredentialActor,
): Promise<CredentialActor> {
  const row = await executor
    .selectFrom('credentials')
    .select('is_active')
    .where('id', '=', actor.credentialId)
    .executeTakeFirst();
  if (row?.is_active !== 1) throw new AppError('credential_invalid');
  return { ...actor, scopes: await findActorScopes(executor, actor.credentialId) };
}
