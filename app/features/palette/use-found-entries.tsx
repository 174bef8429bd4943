import { useLingui } from '@lingui/react/macro';
import {
  IconBrowser,
  IconCopy,
  IconExternalLink,
  IconHistory,
  IconKey,
  IconRocket,
  IconTrash,
  IconUser,
  IconWorld,
} from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { useParams, useRouter } from '@tanstack/react-router';
import type { Site } from '#server/services/sites/schema.ts';
import { notifyFailure, notifySuccess } from '../../components/notify.ts';
import { trpc } from '../../trpc.ts';
import { writtenHostname } from '../cdn/unicode-hostname.ts';
import { useManagedHandle } from '../organizations/use-managed-handle.ts';
import { useHomeOrganization } from '../organizations/use-organization.ts';
import type { PaletteEntry } from './palette-entry.ts';

/** How many of each are available without a request, for typos and abbreviations. */
const AT_HAND = 50;

/**
 * Returns what belongs to the organization: its sites with their actions, endpoints, credentials and members. What deletes one leads
 * to its page, which asks first.
 * If there are many sites and members, those that the server finds by `search` are included.
 */
export function useFoundEntries(search: string): Record<
  'sites' | 'siteActions' | 'endpoints' | 'deletions' | 'credentials' | 'members',
  PaletteEntry[]
> & {
  isFetching: boolean;
  /** Whether something could not be searched. */
  hasFailed: boolean;
} {
  const { t } = useLingui();
  const { organization, can } = useHomeOrganization();
  const router = useRouter();
  const { siteId: shownId } = useParams({ strict: false });
  const handle = useManagedHandle(organization);
  const of = { organization_id: organization.id };
  const params = { orgId: organization.id };
  const nearest = trpc.sites.list.useQuery({ ...of, limit: AT_HAND });
  const searched = trpc.sites.list.useQuery(
    { ...of, search, limit: AT_HAND },
    { enabled: search !== '', placeholderData: keepPreviousData },
  );
  const endpoints = trpc.cdn.list.useQuery(of);
  const credentials = trpc.credentials.list.useQuery(of);
  const members = trpc.organizations.members.useQuery(
    { ...of, search: search || undefined, limit: AT_HAND },
    { enabled: handle !== null, placeholderData: keepPreviousData },
  );

  const sites = new Map<string, Site>();
  for (const site of [...(nearest.data?.items ?? []), ...(searched.data?.items ?? [])])
    sites.set(site.id, site);
  const toSite = (site: Site, rest: { search?: { deploy: true } | { delete: true }; hash?: string } = {}) =>
    void router.navigate({ to: '/$orgId/sites/$siteId', params: { ...params, siteId: site.id }, ...rest });
  const toEndpoint = ({ id }: { id: string }, rest: { search?: { delete: true } } = {}) =>
    void router.navigate({
      to: '/$orgId/endpoints/$endpointId',
      params: { ...params, endpointId: id },
      ...rest,
    });
  const deletionOf = ({ id }: { id: string }, name: string, run: () => void): PaletteEntry => ({
    id: `delete ${id}`,
    label: t({ context: 'palette', message: `Delete ${name}` }),
    keywords: t({ message: 'remove erase destroy', context: 'search words' }),
    icon: IconTrash,
    run,
  });
  const copyId = (site: Site) =>
    navigator.clipboard.writeText(site.id).then(
      () => notifySuccess(t`Copied`),
      () => notifyFailure(t`The site ID could not be copied.`),
    );
  const actionsOf = (site: Site): PaletteEntry[] => {
    const { id, name } = site;
    const deploys: PaletteEntry[] = [
      {
        id: `deploy ${id}`,
        label: t`Deploy to ${name}`,
        keywords: t({ message: 'publish upload release', context: 'search words' }),
        icon: IconRocket,
        run: () => toSite(site, { search: { deploy: true } }),
      },
      {
        id: `roll back ${id}`,
        label: t`Roll back ${name}`,
        keywords: t({ message: 'undo revert versions history', context: 'search words' }),
        icon: IconHistory,
        run: () => toSite(site, { hash: 'history' }),
      },
    ];
    return [
      ...(can('deployment.create') ? deploys : []),
      {
        id: `visit ${id}`,
        label: t`Visit ${name}`,
        keywords: t({ message: 'open browse view', context: 'search words' }),
        icon: IconExternalLink,
        run: () => void window.open(site.subdomain_url, '_blank', 'noreferrer'),
      },
      {
        id: `copy ${id}`,
        label: t`Copy the site ID of ${name}`,
        icon: IconCopy,
        run: () => void copyId(site),
      },
    ];
  };
  // What is on the screen comes first.
  const inOrder = [...sites.values()].toSorted((a, b) => Number(b.id === shownId) - Number(a.id === shownId));
  return {
    isFetching: searched.isFetching || nearest.isFetching,
    hasFailed: [nearest, searched, endpoints, credentials, members].some(({ isError }) => isError),
    sites: [...sites.values()].map((site) => ({
      id: `site ${site.id}`,
      label: site.name,
      detail: new URL(site.subdomain_url).host,
      icon: IconBrowser,
      run: () => toSite(site),
    })),
    siteActions: inOrder.flatMap(actionsOf),
    deletions: [
      ...(can('site.delete')
        ? inOrder.map((site) => deletionOf(site, site.name, () => toSite(site, { search: { delete: true } })))
        : []),
      ...(can('endpoint.delete')
        ? (endpoints.data ?? []).map((endpoint) =>
            deletionOf(endpoint, writtenHostname(endpoint.hostname), () =>
              toEndpoint(endpoint, { search: { delete: true } }),
            ),
          )
        : []),
    ],
    endpoints: (endpoints.data ?? []).map((endpoint) => ({
      id: `endpoint ${endpoint.id}`,
      label: writtenHostname(endpoint.hostname),
      detail: endpoint.site_name ?? endpoint.redirect_target ?? undefined,
      keywords: endpoint.hostname,
      icon: IconWorld,
      run: () => toEndpoint(endpoint),
    })),
    credentials: (credentials.data ?? []).map((credential) => ({
      id: `credential ${credential.id}`,
      label: credential.name,
      detail: credential.public_key,
      icon: IconKey,
      run: () => void router.navigate({ to: '/$orgId/credentials', params, search: { edit: credential.id } }),
    })),
    members:
      handle === null
        ? []
        : (members.data?.items ?? []).map((member) => ({
            id: `member ${member.user_id}`,
            label: member.full_name || member.login,
            detail: member.email ?? undefined,
            icon: IconUser,
            run: () =>
              void router.navigate({
                to: '/identity/organizations/$handle',
                params: { handle },
                search: { tab: 'members' },
              }),
          })),
  };
}
