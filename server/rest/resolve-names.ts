import type { OrganizationContext, RequestContext } from '../context.ts';
import { resolveVersionId } from '../services/deployments/resolve-version-id.ts';
import { resolveSiteId } from '../services/sites/resolve-site-id.ts';

/**
 * Returns the parameters of an address with ids in place of a site's address or a version's number, which the
 * command line accepts as well.
 */
export async function resolveNames<P extends Record<string, unknown>>(
  context: RequestContext | OrganizationContext,
  params: P,
): Promise<P> {
  if (!('organization' in context) || typeof params.site_id !== 'string') return params;
  const siteId = await resolveSiteId(context, params.site_id);
  if (typeof params.version_id !== 'string') return { ...params, site_id: siteId };
  return {
    ...params,
    site_id: siteId,
    version_id: await resolveVersionId(context, siteId, params.version_id),
  };
}
