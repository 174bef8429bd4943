import { IconWorld } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import { writtenHostname } from '#server/services/cdn/unicode-hostname-rules.ts';
import { trpc } from '../../trpc.ts';
import { useHomeOrganization } from '../organizations/use-organization.ts';
import type { FoundEntries } from './found-entries.ts';
import type { PaletteEntry } from './palette-entry.ts';
import { useDeletionEntry } from './use-deletion-entry.ts';

/** Returns the organization's endpoints, and what deletes them. */
export function useEndpointEntries(): FoundEntries & { deletions: PaletteEntry[] } {
  const { organization, can } = useHomeOrganization();
  const router = useRouter();
  const deletionOf = useDeletionEntry();
  const { data = [], isError } = trpc.cdn.list.useQuery({ organization_id: organization.id });
  const lead = ({ id }: Endpoint, rest: { search?: { delete: true } } = {}) =>
    void router.navigate({
      to: '/$orgId/endpoints/$endpointId',
      params: { orgId: organization.id, endpointId: id },
      ...rest,
    });
  return {
    hasFailed: isError,
    entries: data.map((endpoint) => ({
      id: `endpoint ${endpoint.id}`,
      label: writtenHostname(endpoint.hostname),
      detail: endpoint.site_name ?? endpoint.redirect_target ?? undefined,
      keywords: endpoint.hostname,
      icon: IconWorld,
      run: () => lead(endpoint),
    })),
    deletions: can('endpoint.delete')
      ? data.map((endpoint) =>
          deletionOf(endpoint.id, writtenHostname(endpoint.hostname), () =>
            lead(endpoint, { search: { delete: true } }),
          ),
        )
      : [],
  };
}
