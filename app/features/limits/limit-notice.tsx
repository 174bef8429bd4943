import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Stack, Text } from '@mantine/core';
import { IconGauge } from '@tabler/icons-react';
import { type LimitName, limitState } from '#server/services/limits/rules.ts';
import { LimitAmount } from './limit-amount.tsx';
import { LIMIT_WORDS } from './limit-words.ts';
import { useLimits } from './use-limits.ts';

interface LimitNoticeProps {
  organizationId: string;
  of: readonly LimitName[];
}

/**
 * Says on the relevant page that a limit of an organization is close, and what can be done; renders nothing
 * otherwise.
 */
export function LimitNotice({ organizationId, of }: LimitNoticeProps) {
  const { i18n } = useLingui();
  const { data = [] } = useLimits(organizationId);
  const near = data.filter((use) => of.includes(use.name) && limitState(use) !== 'far');
  if (near.length === 0) return null;
  const isReached = near.some((use) => limitState(use) === 'reached');
  return (
    <Alert
      color={isReached ? 'red' : 'yellow'}
      icon={<IconGauge size={18} aria-hidden />}
      role="status"
      mb="lg"
      title={isReached ? <Trans>A limit is reached</Trans> : <Trans>A limit is nearly reached</Trans>}
    >
      <Stack gap="xs">
        {near.map((use) => (
          <Text key={use.name} size="sm">
            <strong>{i18n._(LIMIT_WORDS[use.name].title)}</strong>{' '}
            <span>
              (<LimitAmount use={use} />)
            </span>
            {'. '}
            {i18n._(LIMIT_WORDS[use.name].advice)}
          </Text>
        ))}
        <Text size="sm">
          <Trans>The operator of this installation can allow more.</Trans>
        </Text>
      </Stack>
    </Alert>
  );
}
