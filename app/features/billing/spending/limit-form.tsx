import { Trans } from '@lingui/react/macro';
import { Alert, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import type { LimitAction, LimitScope } from '#server/services/billing/spending/limit-rules.ts';
import type { SpendingLimit } from '#server/services/billing/spending/schema.ts';
import { DialogActions } from '../../../components/dialogs/dialog-actions.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import { useMoney } from '../use-money.ts';
import { LimitActionField } from './limit-action-field.tsx';
import { LimitAmountField } from './limit-amount-field.tsx';
import { LimitScopeFields } from './limit-scope-fields.tsx';
import { parseAmount } from './parse-amount.ts';
import { useLimitName } from './spending-limit-row.tsx';

/** Sets a limit, or changes one, whose resource then stays the same. */
export default function LimitForm(props: { limit: SpendingLimit | null; onDone: () => void }) {
  const { limit, onDone } = props;
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
  const { data: cost } = trpc.billing.cost.useQuery(ofOrganization, { enabled: limit === null });
  const hasStorage = scope === 'organization' && status?.storage_price != null;
  const cents = parseAmount(amount);
  const isResourceMissing = scope !== 'organization' && resourceId === null;
  // What a single site or endpoint has cost is known once it has a limit.
  const spent = limit?.spent_cents ?? (scope === 'organization' ? cost?.total_cents : undefined);
  const stops = action === 'stop' && limit?.is_stopped !== true;
  const stopsNow = stops && cents !== null && spent !== undefined && spent >= cents;

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
          <LimitScopeFields
            organizationId={organization.id}
            scope={scope}
            resourceId={resourceId}
            onChange={(changed, id) => {
              setScope(changed);
              setResourceId(id);
            }}
            isMissing={isChecked && isResourceMissing}
          />
        )}
        <LimitAmountField
          value={amount}
          onChange={setAmount}
          scope={scope}
          isWrong={isChecked && cents === null}
        />
        <LimitActionField value={action} onChange={setAction} hasStorage={hasStorage} />
        <Text size="sm" c="dimmed">
          <Trans>What was already spent this month is still billed.</Trans>
        </Text>
        {stopsNow && <StopsNow spentCents={spent} />}
        {stops && spent === undefined && (
          <Text size="sm" c="dimmed">
            <Trans>If this much has already been spent this month, serving stops within a minute.</Trans>
          </Text>
        )}
        {set.error && <ErrorNotice>{describe(set.error)}</ErrorNotice>}
        <DialogActions
          submit={
            stopsNow ? (
              <Trans>Stop serving</Trans>
            ) : limit ? (
              <Trans>Save limit</Trans>
            ) : (
              <Trans>Set limit</Trans>
            )
          }
          isDestructive={stopsNow}
          onCancel={onDone}
          isPending={set.isPending}
        />
      </Stack>
    </form>
  );
}

/** A limit below what is spent already takes the sites off the web at once, which nobody should find out afterwards. */
function StopsNow({ spentCents }: { spentCents: number }) {
  const spent = useMoney()(spentCents);
  return (
    <Alert color="red" role="status" icon={<IconAlertTriangle size={18} aria-hidden />}>
      <Trans>
        {spent} has already been spent this month: with this limit, serving stops within a minute.
      </Trans>
    </Alert>
  );
}
