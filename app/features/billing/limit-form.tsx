import { Trans, useLingui } from '@lingui/react/macro';
import { NumberInput, Radio, SegmentedControl, Select, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { LIMIT_CENTS_MAX, type LimitAction, type LimitScope } from '#server/services/billing/limit-rules.ts';
import type { SpendingLimit } from '#server/services/billing/schema.ts';
import { DialogActions } from '../../components/dialog-actions.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useErrorMessage } from '../../i18n/use-error-message.ts';
import { trpc } from '../../trpc.ts';
import { useSettings } from '../../use-settings.ts';
import { SiteSelect } from '../cdn/site-select.tsx';
import { useOrganization } from '../organizations/use-organization.ts';
import { parseAmount } from './parse-amount.ts';
import { useLimitName } from './spending-limit-row.tsx';

/** Sets a limit, or changes one, whose resource then stays the same. */
export default function LimitForm(props: { limit: SpendingLimit | null; onDone: () => void }) {
  const { t, i18n } = useLingui();
  const { limit, onDone } = props;
  const { sendsMail } = useSettings();
  const { organization } = useOrganization();
  const ofOrganization = { organization_id: organization.id };
  const utils = trpc.useUtils();
  const describe = useErrorMessage();
  const nameOf = useLimitName();
  const set = trpc.billing.setLimit.useMutation();
  const [scope, setScope] = useState<LimitScope>(limit?.scope ?? 'organization');
  const [resourceId, setResourceId] = useState<string | null>(limit?.resource_id ?? null);
  const [amount, setAmount] = useState<number | string>(limit ? limit.amount_cents / 100 : '');
  const [action, setAction] = useState<LimitAction>(limit?.action ?? 'stop');
  const [isChecked, setChecked] = useState(false);
  const { data: status } = trpc.billing.status.useQuery(ofOrganization);
  const hasStorage = scope === 'organization' && status?.storage_price != null;
  const cents = parseAmount(amount);
  const isResourceMissing = scope !== 'organization' && resourceId === null;
  const isFrench = i18n.locale === 'fr-CA';

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (cents === null || isResourceMissing || set.isPending) return;
    const input = {
      scope,
      resource_id: scope === 'organization' ? null : resourceId,
      amount_cents: cents,
      action,
    };
    try {
      const limits = await set.mutateAsync({ ...ofOrganization, ...input });
      utils.billing.limits.setData(ofOrganization, limits);
    } catch {
      // Shown from set.error.
      return;
    }
    void utils.billing.cost.invalidate(ofOrganization);
    onDone();
  };

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        {limit ? (
          <Text fw={500}>{nameOf(limit)}</Text>
        ) : (
          <Stack gap="md">
            <SegmentedControl
              aria-label={t`What the limit applies to`}
              fullWidth
              value={scope}
              onChange={(value) => {
                setScope(value);
                setResourceId(null);
              }}
              data={[
                { value: 'organization' as const, label: t`Organization` },
                { value: 'site' as const, label: t`Site` },
                { value: 'endpoint' as const, label: t`CDN endpoint` },
              ]}
            />
            {scope === 'site' && (
              <SiteSelect
                value={resourceId}
                onChange={setResourceId}
                error={isChecked && isResourceMissing ? t`Choose a site.` : null}
              />
            )}
            {scope === 'endpoint' && (
              <EndpointSelect
                organizationId={organization.id}
                value={resourceId}
                onChange={setResourceId}
                error={isChecked && isResourceMissing ? t`Choose an endpoint.` : null}
              />
            )}
          </Stack>
        )}
        <NumberInput
          label={t`Limit for a month (CAD)`}
          description={
            scope === 'organization' ? (
              <Trans>Taxes included. Months are in UTC.</Trans>
            ) : (
              <Trans>Before taxes: the resource itself and its traffic. Months are in UTC.</Trans>
            )
          }
          required
          hideControls
          min={0}
          max={LIMIT_CENTS_MAX / 100}
          decimalScale={2}
          fixedDecimalScale
          decimalSeparator={isFrench ? ',' : '.'}
          allowedDecimalSeparators={['.', ',']}
          thousandSeparator={isFrench ? '\u00a0' : ','}
          prefix={isFrench ? undefined : '$'}
          suffix={isFrench ? '\u00a0$' : undefined}
          value={amount}
          onChange={setAmount}
          error={isChecked && cents === null ? t`Enter an amount of up to a million dollars.` : null}
          data-autofocus
        />
        <Radio.Group
          label={t`At the limit`}
          value={action}
          onChange={(value) => setAction(value === 'notify' ? 'notify' : 'stop')}
        >
          <Stack gap="sm" mt="xs">
            <Radio
              value="stop"
              label={t`Stop serving`}
              description={
                hasStorage ? (
                  <Trans>
                    Within a minute, visitors get a plain page until the month ends, and buckets accept no new
                    data. Deploys, settings, and reading and deleting in buckets keep working. Beyond the
                    limit, only what is stored is billed, as long as it is stored.
                  </Trans>
                ) : (
                  <Trans>
                    Within a minute, visitors get a plain page until the month ends. Deploys and settings keep
                    working, and nothing beyond the limit is billed.
                  </Trans>
                )
              }
            />
            <Radio
              value="notify"
              label={t`Notify only`}
              description={
                sendsMail
                  ? t`An email at 50, 75, 90 and 100 percent, and a notice in the console. Everything continues to be served and billed.`
                  : t`A notice in the console. Everything continues to be served and billed.`
              }
            />
          </Stack>
        </Radio.Group>
        <Text size="sm" c="dimmed">
          <Trans>What was already spent this month is still billed.</Trans>
        </Text>
        {set.error && <ErrorNotice>{describe(set.error)}</ErrorNotice>}
        <DialogActions
          submit={limit ? <Trans>Save limit</Trans> : <Trans>Set limit</Trans>}
          onCancel={onDone}
          isPending={set.isPending}
        />
      </Stack>
    </form>
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
