import { isPostgres, type Trx } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { EMBEDDED_ISSUER } from '../identity/rules.ts';

/**
 * Requires that a person owns no more local organizations than allowed, after another one was created in the
 * same transaction; of two concurrent ones, the second waits for the first. Personal workspaces do not count.
 * @throws limit_organizations
 */
export async function requireRoomForOrganization(trx: Trx, app: App, userId: string): Promise<void> {
  const limit = app.config.personLimits.organizationsMax;
  await trx
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .$if(isPostgres(trx), (query) => query.forNoKeyUpdate())
    .execute();
  const { owned } = await trx
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .select(({ fn }) => fn.countAll<number>().as('owned'))
    .where('memberships.user_id', '=', userId)
    .where('memberships.permission', '=', 'owner')
    .where('organizations.issuer', '=', EMBEDDED_ISSUER)
    .where('organizations.detached_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (owned > limit) throw new AppError('limit_organizations', { limit });
}
