import type { Executor } from '#db/client.ts';
import type { OrganizationContext } from '#server/context.ts';
import { orNobody, readableSites, selectSitesOf, type UsageSubject } from './queries.ts';
import type { UsageRange } from './rules.ts';

/**
 * Returns how many sites existed at any instant of a range, of those that were requested and that the actor
 * may see. For an endpoint, these are the sites that it leads or led to. A site counts in full if it existed
 * at all, as on the invoice.
 */
export async function countActiveSites(
  executor: Executor,
  context: OrganizationContext,
  { cdn_endpoint_id, site_id }: UsageSubject,
  { start, end }: UsageRange,
): Promise<number> {
  const readable = readableSites(context);
  let query = executor
    .selectFrom('resource_lifetimes')
    .select(({ fn }) => fn.countAll<number>().as('sites'))
    .where('organization_id', '=', context.organization.id)
    .where('resource_type', '=', 'site')
    .where('started_at', '<', end)
    .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>', start)]));
  if (readable !== null) query = query.where('resource_id', 'in', orNobody(readable));
  if (site_id !== undefined) query = query.where('resource_id', '=', site_id);
  if (cdn_endpoint_id !== undefined) {
    query = query.where('resource_id', 'in', selectSitesOf(executor, cdn_endpoint_id));
  }
  const { sites } = await query.executeTakeFirstOrThrow();
  return sites;
}
