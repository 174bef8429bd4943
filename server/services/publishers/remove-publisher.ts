import type { z } from 'zod';
import { inTransaction } from '#db/transaction.ts';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { closePublisherCredentials } from '../credentials/close-publisher-credentials.ts';
import { requireCredentialRight } from '../credentials/require-credential-right.ts';
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
  const { app, organization } = context;
  await inTransaction(app.db, async (trx) => {
    const site = await requireSite(trx, context, site_id, 'write');
    const row = await trx
      .deleteFrom('publishers')
      .where('id', '=', publisher_id)
      .where('site_id', '=', site.id)
      .returningAll()
      .executeTakeFirst();
    if (!row) throw new AppError('publisher_not_found');
    await closePublisherCredentials(trx, row.id);
    await recordAudit(trx, context, {
      action: 'site.publisher_remove',
      resource_type: 'site',
      resource_id: site.id,
      organization_id: organization.id,
      before: { issuer: row.issuer, repository: row.repository, ref: row.ref, environment: row.environment },
    });
  });
}
