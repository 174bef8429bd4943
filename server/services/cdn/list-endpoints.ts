import type { z } from 'zod';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { describeEndpoints, selectReadableEndpoints } from './queries.ts';
import { type Endpoint, listEndpointsInput } from './schema.ts';

/**
 * Returns the organization's CDN endpoints by hostname, or those of one site. A credential sees only
 * endpoints of the sites in its scopes.
 */
export async function listEndpoints(
  context: OrganizationContext,
  input: z.input<typeof listEndpointsInput>,
): Promise<Endpoint[]> {
  requireAction(context, 'endpoint.read');
  const { site_id } = listEndpointsInput.parse(input);
  const { app } = context;
  let query = selectReadableEndpoints(context);
  if (site_id !== undefined) query = query.where('cdn_endpoints.site_id', '=', site_id);
  const rows = await query.orderBy('cdn_endpoints.hostname').execute();
  return describeEndpoints(app.db, app, rows);
}
