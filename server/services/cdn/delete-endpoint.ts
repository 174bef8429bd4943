import type { z } from 'zod';
import { inTransaction } from '#db/transaction.ts';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { recordEdgeChange } from '#server/edge-changes.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { requireEndpoint } from './require-endpoint.ts';
import { endpointInput } from './schema.ts';

/** Removes an endpoint and its certificate: it is served no more within a second. */
export async function deleteEndpoint(
  context: OrganizationContext,
  input: z.input<typeof endpointInput>,
): Promise<void> {
  requireAction(context, 'endpoint.delete');
  const { endpoint_id } = endpointInput.parse(input);
  const { app, organization } = context;
  await inTransaction(app.db, async (trx, afterCommit) => {
    const row = await requireEndpoint(trx, context, endpoint_id, 'write');
    await trx.deleteFrom('cdn_endpoints').where('id', '=', row.id).execute();
    await recordAudit(trx, context, {
      action: 'endpoint.delete',
      resource_type: 'endpoint',
      resource_id: row.id,
      organization_id: organization.id,
      before: { hostname: row.hostname },
    });
    const change = { site_id: null, hostname: row.hostname };
    await recordEdgeChange(trx, afterCommit, app.edgeChanges, change, app.clock.now());
  });
}
