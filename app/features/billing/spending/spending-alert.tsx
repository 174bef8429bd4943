import { Trans } from '@lingui/react/macro';
import { Alert, Text } from '@mantine/core';
import { IconGauge } from '@tabler/icons-react';
import type { SpendingLimit } from '#server/services/billing/spending/schema.ts';
import { AnchorLink } from '../../../components/links.tsx';
import { useMoney } from '../use-money.ts';
import { limitState } from './limit-state.ts';

/** Says which spending limits are reached or nearly so, the worst in its title. */
export default function SpendingAlert(props: { organizationId: string; told: SpendingLimit[] }) {
  const { organizationId, told } = props;
  const [worst] = told;
  if (!worst) return null;
  const isStopped = limitState(worst) === 'stopped';
  return (
    <Alert
      color={isStopped ? 'red' : 'yellow'}
      icon={<IconGauge size={18} aria-hidden />}
      role="status"
      mb="lg"
      title={
        isStopped ? (
          <Trans>Stopped by a spending limit</Trans>
        ) : limitState(worst) === 'reached' ? (
          <Trans>A spending limit is reached</Trans>
        ) : (
          <Trans>A spending limit is nearly reached</Trans>
        )
      }
    >
      {told.map((limit) => (
        <Text key={limit.id} size="sm">
          <LimitSentence limit={limit} />
        </Text>
      ))}
      <AnchorLink to="/$orgId/billing" params={{ orgId: organizationId }} hash="limits" size="sm">
        <Trans>View spending limits</Trans>
      </AnchorLink>
    </Alert>
  );
}

function LimitSentence({ limit }: { limit: SpendingLimit }) {
  const money = useMoney();
  const { name, scope } = limit;
  const spent = money(limit.spent_cents);
  const amount = money(limit.amount_cents);
  const isStopped = limit.is_stopped;
  if (scope === 'organization') {
    return isStopped ? (
      <Trans>
        This organization has used {spent} of its {amount} limit this month. Its sites are not served until
        the month ends or the limit is raised.
      </Trans>
    ) : (
      <Trans>
        This organization has used {spent} of its {amount} limit this month.
      </Trans>
    );
  }
  return isStopped ? (
    <Trans>
      {name} has used {spent} of its {amount} limit this month. It is not served until the month ends or the
      limit is raised.
    </Trans>
  ) : (
    <Trans>
      {name} has used {spent} of its {amount} limit this month.
    </Trans>
  );
}
