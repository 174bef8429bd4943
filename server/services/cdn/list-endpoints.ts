import type { z } from 'zod';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { toInstant } from '../shared/schema.ts';
import { type Endpoint, listEndpointsInput } from './schema.ts';

/**
 * Returns the organization's CDN endpoints by host name, or those of one site. A credential sees only endpoints of the
 * sites in its scopes.
 */
export async function listEndpoints(
  context: OrganizationContext,
  input: z.input<typeof listEndpointsInput>,
): Promise<Endpoint[]> {
  requireAction(context, 'endpoint.read');
  const { site_id } = listEndpointsInput.parse(input);
  const { actor, app, organization } = context;
  let query = app.db
    .selectFrom('cdn_endpoints')
    .leftJoin('sites', 'sites.id', 'cdn_endpoints.site_id')
    .selectAll('cdn_endpoints')
    .select('sites.name as site_name')
    .where('cdn_endpoints.organization_id', '=', organization.id);
  if (site_id !== undefined) query = query.where('cdn_endpoints.site_id', '=', site_id);
  if (actor.kind === 'credential') {
    const readable = actor.scopes.filter((s) => s.resource_type === 'site' && s.permissions.includes('read'));
    if (readable.length === 0) return [];
    query = query.where(
      'cdn_endpoints.site_id',
      'in',
      readable.map((scope) => scope.resource_id),
    );
  }
  const rows = await query.orderBy('cdn_endpoints.hostname').execute();
  return rows.map((row) => ({
    id: row.id,
    hostname: row.hostname,
    cname_target: row.cname_target,
    origin_type: row.origin_type,
    site_id: row.site_id,
    site_name: row.site_name,
    redirect_target: row.redirect_target,
    updated_at: toInstant(row.updated_at),
  }));
}
