import { Trans, useLingui } from '@lingui/react/macro';
import { Select, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { AnchorLink } from '../../../components/links.tsx';
import { useErrorMessage } from '../../../i18n/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { useOrganization } from '../../organizations/use-organization.ts';

const SHOWN_MAX = 50;
const DEBOUNCE_MS = 150;

/** One of the organization's sites, found by typing; without any, a link to create the first one. */
export function SiteSelect(props: {
  value: string | null;
  onChange: (siteId: string | null) => void;
  error: string | null;
}) {
  const { t } = useLingui();
  const { organization, can } = useOrganization();
  const describe = useErrorMessage();
  const [chosen, setChosen] = useState<{ value: string; label: string } | null>(null);
  const [typed, setTyped] = useState('');
  const [debounced] = useDebouncedValue(typed.trim(), DEBOUNCE_MS);
  const given = trpc.sites.get.useQuery(
    { organization_id: organization.id, site_id: props.value ?? '' },
    { enabled: props.value !== null && props.value !== chosen?.value, retry: false },
  );
  const current = chosen ?? (given.data ? { value: given.data.id, label: given.data.name } : null);
  // After a choice, the field contains its name and not a search.
  const search = typed.trim() === current?.label.trim() ? '' : debounced;
  const sites = trpc.sites.list.useQuery(
    { organization_id: organization.id, search: search || undefined, limit: SHOWN_MAX },
    { placeholderData: keepPreviousData },
  );
  const found = (sites.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const isListed = found.some(({ value }) => value === current?.value);
  const data = current !== null && !isListed && search === '' ? [current, ...found] : found;

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
    <Select
      label={t`Site`}
      placeholder={t`Search sites`}
      required
      searchable
      data={data}
      // The server has searched, with its own rules for case and accents.
      filter={({ options }) => options}
      value={props.value}
      onChange={(value, option) => {
        setChosen(option ? { value: option.value, label: option.label } : null);
        props.onChange(value);
      }}
      onSearchChange={setTyped}
      nothingFoundMessage={sites.isFetching ? t`Searching…` : t`No site matches.`}
      error={props.error ?? (sites.error ? describe(sites.error) : null)}
      maxDropdownHeight={200}
    />
  );
}
