import { IconWorld } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import { writtenHostname } from '#server/services/cdn/unicode-hostname-rules.ts';
import { trpc } from '../../../trpc.ts';
import { useHomeOrganization } from '../../organizations/use-organization.ts';
import type { PaletteEntry } from '../palette-entry.ts';
import { AT_HAND, type FoundEntries, foundOnce } from './found-entries.ts';
import { useDeletionEntry } from './use-deletion-entry.ts';

/** Returns the organization's first endpoints and those that the server finds by `search`, and what deletes them. */
export function useEndpointEntries(search: string): FoundEntries & { deletions: PaletteEntry[] } {
  const { organization, can } = useHomeOrganization();
  const router = useRouter();
  const deletionOf = useDeletionEntry();
  const of = { organization_id: organization.id };
  const nearest = trpc.cdn.page.useQuery({ ...of, limit: AT_HAND });
  const searched = trpc.cdn.page.useQuery(
    { ...of, search, limit: AT_HAND },
    { enabled: search !== '', placeholderData: keepPreviousData },
  );
  const { found, ...state } = foundOnce(nearest, searched);
  const lead = ({ id }: Endpoint, rest: { search?: { delete: true } } = {}) =>
    void router.navigate({
      to: '/$orgId/endpoints/$endpointId',
      params: { orgId: organization.id, endpointId: id },
      ...rest,
    });
  return {
    ...state,
    entries: found.map((endpoint) => ({
      id: `endpoint ${endpoint.id}`,
      label: writtenHostname(endpoint.hostname),
      detail: endpoint.site_name ?? endpoint.redirect_target ?? undefined,
      keywords: endpoint.hostname,
      icon: IconWorld,
      run: () => lead(endpoint),
    })),
    deletions: can('endpoint.delete')
      ? found.map((endpoint) =>
          deletionOf(endpoint.id, writtenHostname(endpoint.hostname), () =>
            lead(endpoint, { search: { delete: true } }),
          ),
        )
      : [],
  };
}
