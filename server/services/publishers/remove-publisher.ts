import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { closePublisherCredentials } from '../credentials/close-publisher-credentials.ts';
import { requireCredentialRight } from '../credentials/require-credential-right.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { requireSite } from '../sites/require-site.ts';
import { removePublisherInput } from './schema.ts';

/**
 * Stops a repository from deploying; its credentials stop working with their next request.
 * @throws person_required, permission_required, site_not_found, publisher_not_found
 */
export async function removePublisher(
  context: OrganizationContext,
  input: z.input<typeof removePublisherInput>,
): Promise<void> {
  requireCredentialRight(context, 'credential.manage');
  const { site_id, publisher_id } = removePublisherInput.parse(input);
  const { organization } = context;
  await inUnitOfWork(context, async ({ trx, audit }) => {
    const site = await requireSite(trx, context, site_id, 'write');
    const row = await trx
      .deleteFrom('publishers')
      .where('id', '=', publisher_id)
      .where('site_id', '=', site.id)
      .returningAll()
      .executeTakeFirst();
    if (!row) throw new AppError('publisher_not_found');
    await closePublisherCredentials(trx, row.id);
    await audit({
      action: 'site.publisher_remove',
      resource_type: 'site',
      resource_id: site.id,
      organization_id: organization.id,
      before: { issuer: row.issuer, repository: row.repository, ref: row.ref, environment: row.environment },
    });
  });
}
