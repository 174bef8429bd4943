import type { Executor, Trx } from '#db/client.ts';
import { type OrganizationContext, requireSiteScope } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { type EndpointRow, selectEndpoints } from './queries.ts';

/**
 * Returns the endpoint's row when it exists in the organization and the actor's scopes include its site. To a
 * credential, an endpoint without a site, or of a site outside its scopes, does not exist.
 * @throws endpoint_not_found
 */
export async function requireEndpoint(
  executor: Executor,
  context: OrganizationContext,
  endpointId: string,
  permission: 'read' | 'write',
): Promise<EndpointRow> {
  const row = await selectEndpoints(executor, context.organization.id)
    .where('cdn_endpoints.id', '=', endpointId)
    .executeTakeFirst();
  if (!row) throw new AppError('endpoint_not_found');
  if (context.actor.kind === 'credential') {
    if (row.site_id === null) throw new AppError('endpoint_not_found');
    requireSiteScope(context, row.site_id, permission);
  }
  return row;
}

/**
 * Returns an endpoint that the actor may change, and makes every other writer of it wait until the
 * transaction ends.
 * @throws endpoint_not_found, out_of_scope
 */
export async function lockEndpoint(
  trx: Trx,
  context: OrganizationContext,
  endpointId: string,
): Promise<EndpointRow> {
  await trx
    .updateTable('cdn_endpoints')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('id', '=', endpointId)
    .where('organization_id', '=', context.organization.id)
    .execute();
  return requireEndpoint(trx, context, endpointId, 'write');
}
