import type { UsageResource } from '#server/services/usage/schema.ts';
import { trpc } from '../../../trpc.ts';
import type { UsageSubject } from '../period-search.ts';

/** A name; null when there is none, undefined while it is loading. */
type SubjectName = string | null | undefined;

/**
 * Returns the names of the site and the endpoint that usage is filtered by. Deleted ones are named by their
 * rows, if the range has any.
 */
export function useSubjectNames(
  organizationId: string,
  { site_id = '', cdn_endpoint_id = '' }: UsageSubject,
  resources: readonly UsageResource[] | undefined,
): { site: SubjectName; endpoint: SubjectName } {
  const organization = { organization_id: organizationId };
  const site = trpc.sites.get.useQuery({ ...organization, site_id }, { enabled: site_id !== '' });
  const endpoint = trpc.cdn.get.useQuery(
    { ...organization, endpoint_id: cdn_endpoint_id },
    { enabled: cdn_endpoint_id !== '' },
  );
  const row = (endpointId: string | null, siteId?: string) =>
    resources?.find((one) => one.cdn_endpoint_id === endpointId && (!siteId || one.site_id === siteId))?.name;
  return {
    site: site.data?.name ?? row(null, site_id) ?? (site.isError ? null : undefined),
    endpoint: endpoint.data?.hostname ?? row(cdn_endpoint_id) ?? (endpoint.isError ? null : undefined),
  };
}
