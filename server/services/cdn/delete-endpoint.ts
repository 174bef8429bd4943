import type { z } from 'zod';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { endLifetime } from '../usage/keep-lifetime.ts';
import { lockEndpoint } from './require-endpoint.ts';
import { reserveHostname } from './reserve-hostname.ts';
import { endpointInput } from './schema.ts';

/**
 * Removes an endpoint and its certificate: within a second it is no longer served. A proven hostname is
 * reserved for the organization for a while, with its records.
 * @throws permission_required, endpoint_not_found, out_of_scope
 */
export async function deleteEndpoint(
  context: OrganizationContext,
  input: z.input<typeof endpointInput>,
): Promise<void> {
  requireAction(context, 'endpoint.delete');
  const { endpoint_id } = endpointInput.parse(input);
  const { organization } = context;
  await inUnitOfWork(context, async ({ trx, now, audit, tellEdges }) => {
    const row = await lockEndpoint(trx, context, endpoint_id);
    const { hostname, origin_type, site_id, redirect_target } = row;
    await reserveHostname(trx, row, now);
    await trx.deleteFrom('cdn_endpoints').where('id', '=', row.id).execute();
    await endLifetime(trx, row.id, now);
    await audit({
      action: 'endpoint.delete',
      resource_type: 'endpoint',
      resource_id: row.id,
      organization_id: organization.id,
      before: { hostname, origin_type, site_id, redirect_target },
    });
    tellEdges({ site_id: null, hostname });
  });
}
