import { useLingui } from '@lingui/react/macro';
import { type ComboboxItem, SegmentedControl, Select, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import type { LimitScope } from '#server/services/billing/spending/limit-rules.ts';
import { useErrorMessage } from '../../../i18n/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { SiteSelect } from '../../cdn/form/site-select.tsx';

const SHOWN_MAX = 50;
const DEBOUNCE_MS = 150;

/** What a new limit applies to: the organization, or a site or an endpoint that is then chosen. */
export function LimitScopeFields(props: {
  organizationId: string;
  scope: LimitScope;
  resourceId: string | null;
  onChange: (scope: LimitScope, resourceId: string | null) => void;
  /** Whether to say that nothing was chosen. */
  isMissing: boolean;
}) {
  const { t } = useLingui();
  const { organizationId, scope, resourceId, onChange, isMissing } = props;
  return (
    <Stack gap="md">
      <SegmentedControl
        aria-label={t`What the limit applies to`}
        fullWidth
        value={scope}
        onChange={(chosen) => onChange(chosen, null)}
        data={[
          { value: 'organization' as const, label: t`Organization` },
          { value: 'site' as const, label: t`Site` },
          { value: 'endpoint' as const, label: t`CDN endpoint` },
        ]}
      />
      {scope === 'site' && (
        <SiteSelect
          value={resourceId}
          onChange={(id) => onChange('site', id)}
          error={isMissing ? t`Choose a site.` : null}
        />
      )}
      {scope === 'endpoint' && (
        <EndpointSelect
          organizationId={organizationId}
          value={resourceId}
          onChange={(id) => onChange('endpoint', id)}
          error={isMissing ? t`Choose an endpoint.` : null}
        />
      )}
    </Stack>
  );
}

/** One of the organization's endpoints, found by typing. */
function EndpointSelect(props: {
  organizationId: string;
  value: string | null;
  onChange: (endpointId: string | null) => void;
  error: string | null;
}) {
  const { t } = useLingui();
  const describe = useErrorMessage();
  const [chosen, setChosen] = useState<ComboboxItem | null>(null);
  const [typed, setTyped] = useState('');
  const [debounced] = useDebouncedValue(typed.trim(), DEBOUNCE_MS);
  // After a choice, the field contains its hostname and not a search.
  const search = typed.trim() === chosen?.label ? '' : debounced;
  const endpoints = trpc.cdn.page.useQuery(
    { organization_id: props.organizationId, search: search || undefined, limit: SHOWN_MAX },
    { placeholderData: keepPreviousData },
  );
  const found = (endpoints.data?.items ?? []).map(({ id, hostname }) => ({ value: id, label: hostname }));
  const isListed = found.some(({ value }) => value === chosen?.value);
  return (
    <Select
      label={t`CDN endpoint`}
      placeholder={t`Search endpoints`}
      required
      searchable
      data={chosen !== null && !isListed && search === '' ? [chosen, ...found] : found}
      // The server has searched.
      filter={({ options }) => options}
      value={props.value}
      onChange={(value, option) => {
        setChosen(option ?? null);
        props.onChange(value);
      }}
      onSearchChange={setTyped}
      nothingFoundMessage={endpoints.isFetching ? t`Searching…` : t`No endpoint matches.`}
      error={props.error ?? (endpoints.error ? describe(endpoints.error) : null)}
      maxDropdownHeight={200}
    />
  );
}
