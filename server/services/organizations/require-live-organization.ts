import { isPostgres, type Trx } from '#db/client.ts';
import { AppError } from '#server/errors.ts';

/**
 * Requires that the organization is not deleted or detached, and keeps it so until the transaction ends: call
 * it before adding anything to an organization, so that nothing is left behind in one that is being deleted.
 * @throws organization_not_found
 */
export async function requireLiveOrganization(trx: Trx, organizationId: string): Promise<void> {
  const row = await trx
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', organizationId)
    .where('detached_at', 'is', null)
    .$if(isPostgres(trx), (query) => query.forKeyShare())
    .executeTakeFirst();
  if (!row) throw new AppError('organization_not_found');
}
