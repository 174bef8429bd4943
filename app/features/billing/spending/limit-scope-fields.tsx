import { useLingui } from '@lingui/react/macro';
import { SegmentedControl, Stack } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import type { LimitScope } from '#server/services/billing/spending/limit-rules.ts';
import {
  SEARCHED_MAX,
  SearchedSelect,
  useSearchedSelect,
} from '../../../components/forms/searched-select.tsx';
import { trpc } from '../../../trpc.ts';
import { SiteSelect } from '../../cdn/form/site-select.tsx';

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
  const state = useSearchedSelect();
  const { chosen: current } = state;
  const search = state.searchBeside(current);
  const endpoints = trpc.cdn.page.useQuery(
    { organization_id: props.organizationId, search: search || undefined, limit: SEARCHED_MAX },
    { placeholderData: keepPreviousData },
  );
  const found = (endpoints.data?.items ?? []).map(({ id, hostname }) => ({ value: id, label: hostname }));
  return (
    <SearchedSelect
      label={t`CDN endpoint`}
      placeholder={t`Search endpoints`}
      nothingFound={t`No endpoint matches.`}
      query={endpoints}
      value={props.value}
      onChange={props.onChange}
      error={props.error}
      {...{ state, current, search, found }}
    />
  );
}
