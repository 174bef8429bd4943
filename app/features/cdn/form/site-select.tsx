import { Trans, useLingui } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import {
  SEARCHED_MAX,
  SearchedSelect,
  useSearchedSelect,
} from '../../../components/forms/searched-select.tsx';
import { AnchorLink } from '../../../components/links.tsx';
import { trpc } from '../../../trpc.ts';
import { useOrganization } from '../../organizations/use-organization.ts';

/** One of the organization's sites, found by typing; without any, a link to create the first one. */
export function SiteSelect(props: {
  value: string | null;
  onChange: (siteId: string | null) => void;
  error: string | null;
}) {
  const { t } = useLingui();
  const { organization, can } = useOrganization();
  const state = useSearchedSelect();
  const { chosen } = state;
  const given = trpc.sites.get.useQuery(
    { organization_id: organization.id, site_id: props.value ?? '' },
    { enabled: props.value !== null && props.value !== chosen?.value, retry: false },
  );
  const current = chosen ?? (given.data ? { value: given.data.id, label: given.data.name } : null);
  const search = state.searchBeside(current);
  const sites = trpc.sites.list.useQuery(
    { organization_id: organization.id, search: search || undefined, limit: SEARCHED_MAX },
    { placeholderData: keepPreviousData },
  );
  const found = (sites.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }));

  if (sites.data && !sites.isPlaceholderData && found.length === 0 && search === '') {
    return (
      <Text
        size="sm"
        c={props.error === null ? 'dimmed' : 'red'}
        role={props.error === null ? undefined : 'alert'}
      >
        <Trans>There are no sites yet.</Trans>{' '}
        {can('site.create') && (
          <AnchorLink
            to="/$orgId/sites"
            params={{ orgId: organization.id }}
            search={{ create: true }}
            inherit
          >
            <Trans>Create a site</Trans>
          </AnchorLink>
        )}
      </Text>
    );
  }
  return (
    <SearchedSelect
      label={t`Site`}
      placeholder={t`Search sites`}
      nothingFound={t`No site matches.`}
      query={sites}
      {...{ state, current, search, found }}
      {...props}
    />
  );
}
