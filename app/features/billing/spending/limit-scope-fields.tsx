import { useLingui } from '@lingui/react/macro';
import { SegmentedControl, Select, Stack } from '@mantine/core';
import type { LimitScope } from '#server/services/billing/spending/limit-rules.ts';
import { useErrorMessage } from '../../../i18n/use-error-message.ts';
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

function EndpointSelect(props: {
  organizationId: string;
  value: string | null;
  onChange: (endpointId: string | null) => void;
  error: string | null;
}) {
  const { t } = useLingui();
  const describe = useErrorMessage();
  const endpoints = trpc.cdn.list.useQuery({ organization_id: props.organizationId });
  return (
    <Select
      label={t`CDN endpoint`}
      placeholder={t`Search endpoints`}
      required
      searchable
      limit={50}
      data={(endpoints.data ?? []).map(({ id, hostname }) => ({ value: id, label: hostname }))}
      value={props.value}
      onChange={props.onChange}
      nothingFoundMessage={endpoints.isFetching ? t`Searching…` : t`No endpoint matches.`}
      error={props.error ?? (endpoints.error ? describe(endpoints.error) : null)}
      maxDropdownHeight={200}
    />
  );
}
