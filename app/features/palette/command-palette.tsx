import '@mantine/spotlight/styles.css';
import { Trans, useLingui } from '@lingui/react/macro';
import { useDebouncedValue } from '@mantine/hooks';
import { createSpotlight, Spotlight } from '@mantine/spotlight';
import { IconBrowser, IconSearch, IconWorld } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { trpc } from '../../trpc.ts';
import { filterEndpoints } from '../cdn/filter-endpoints.ts';
import { writtenHostname } from '../cdn/unicode-hostname.ts';
import { useHomeOrganization } from '../organizations/use-organization.ts';
import classes from './command-palette.module.css';
import { matchesQuery } from './matches-query.ts';
import { type PaletteEntry, usePaletteEntries } from './use-palette-entries.tsx';

const [store, palette] = createSpotlight();

/** Opens the palette, or closes it when it is open. */
export function togglePalette(): void {
  palette.toggle();
}

const SITES_SHOWN = 8;
const ENDPOINTS_SHOWN = 8;
const ORGANIZATIONS_SHOWN = 5;
const DEBOUNCE_MS = 150;

/** Reaches every page, every site, every endpoint and the common actions by typing. */
export function CommandPalette() {
  const { t } = useLingui();
  const { organization } = useHomeOrganization();
  const router = useRouter();
  const { pages, organizations, actions } = usePaletteEntries();
  const [query, setQuery] = useState('');
  const [search] = useDebouncedValue(query.trim(), DEBOUNCE_MS);
  const sites = trpc.sites.list.useQuery(
    { organization_id: organization.id, search: search || undefined, limit: SITES_SHOWN },
    { placeholderData: keepPreviousData },
  );
  const endpoints = trpc.cdn.list.useQuery({ organization_id: organization.id });
  const siteEntries: PaletteEntry[] = (sites.data?.items ?? [])
    .map((site) => ({
      id: `site ${site.id}`,
      label: site.name,
      detail: new URL(site.subdomain_url).host,
      icon: IconBrowser,
      run: () =>
        void router.navigate({
          to: '/$orgId/sites/$siteId',
          params: { orgId: organization.id, siteId: site.id },
        }),
    }))
    // The list is of the query before until the answer is here.
    .filter((entry) => matchesQuery(query, `${entry.label} ${entry.detail}`));
  const endpointEntries: PaletteEntry[] = filterEndpoints(endpoints.data ?? [], query)
    .slice(0, ENDPOINTS_SHOWN)
    .map((endpoint) => ({
      id: `endpoint ${endpoint.id}`,
      label: writtenHostname(endpoint.hostname),
      detail: endpoint.site_name ?? endpoint.redirect_target ?? undefined,
      icon: IconWorld,
      run: () =>
        void router.navigate({
          to: '/$orgId/endpoints/$endpointId',
          params: { orgId: organization.id, endpointId: endpoint.id },
        }),
    }));
  const groups = [
    { label: t`Pages`, entries: pages.filter((entry) => matchesQuery(query, entry.label)) },
    { label: t`Sites`, entries: siteEntries },
    { label: t`CDN endpoints`, entries: endpointEntries },
    { label: t`Actions`, entries: actions.filter((entry) => matchesQuery(query, entry.label)) },
    {
      label: t`Organizations`,
      entries: organizations
        .filter((entry) => matchesQuery(query, entry.label))
        .slice(0, ORGANIZATIONS_SHOWN),
    },
  ].filter((group) => group.entries.length > 0);

  return (
    <Spotlight.Root
      store={store}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      scrollable
      maxHeight={420}
      attributes={{ content: { 'aria-label': t`Search and commands` } }}
      classNames={{ content: classes.content, actionsGroup: classes.group }}
    >
      <Spotlight.Search
        placeholder={t`Go to a page, site or hostname, or do something…`}
        aria-label={t`Search and commands`}
        leftSection={<IconSearch size={18} stroke={1.75} aria-hidden />}
      />
      <Spotlight.ActionsList>
        {groups.map((group) => (
          <Spotlight.ActionsGroup key={group.label} label={group.label}>
            {group.entries.map((entry) => (
              <Spotlight.Action
                key={entry.id}
                label={entry.label}
                description={entry.detail}
                leftSection={<entry.icon size={18} stroke={1.6} aria-hidden />}
                onClick={entry.run}
              />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {groups.length === 0 && (
          <Spotlight.Empty>
            {sites.isFetching ? <Trans>Searching…</Trans> : <Trans>Nothing matches.</Trans>}
          </Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}
