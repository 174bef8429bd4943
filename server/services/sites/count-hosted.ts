import { type OrganizationContext, requireAction, requirePerson } from '#server/context.ts';
import type { HostedCounts } from './schema.ts';

/**
 * Returns how much an organization hosts: the figures of its dashboard. A suspended site, or one of a suspended organization, is
 * not live.
 * @throws person_required
 */
export async function countHosted(context: OrganizationContext): Promise<HostedCounts> {
  requirePerson(context);
  requireAction(context, 'site.read');
  const { app, organization } = context;
  const sites = await app.db
    .selectFrom('sites')
    .select(({ fn, case: choose, ref }) => [
      fn.countAll<number>().as('all'),
      // What is null is not counted.
      fn
        .count<number>(choose().when('suspended_at', 'is', null).then(ref('current_version_id')).end())
        .as('live'),
    ])
    .where('organization_id', '=', organization.id)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  const endpoints = await app.db
    .selectFrom('cdn_endpoints')
    .leftJoin('certificate_bundles', 'certificate_bundles.endpoint_id', 'cdn_endpoints.id')
    .select(({ fn }) => [
      fn.countAll<number>().as('all'),
      fn.count<number>('certificate_bundles.issued_at').as('certified'),
    ])
    .where('cdn_endpoints.organization_id', '=', organization.id)
    .executeTakeFirstOrThrow();
  return {
    sites: Number(sites.all),
    live_sites: organization.isSuspended ? 0 : Number(sites.live),
    endpoints: Number(endpoints.all),
    certified_endpoints: Number(endpoints.certified),
  };
}
