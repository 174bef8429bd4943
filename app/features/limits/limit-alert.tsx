import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Stack, Text } from '@mantine/core';
import { IconGauge } from '@tabler/icons-react';
import { limitState } from '#server/services/limits/rules.ts';
import type { LimitUse } from '#server/services/limits/schema.ts';
import { LimitAmount } from './limit-amount.tsx';
import { LIMIT_WORDS } from './limit-words.ts';

/** Says which limits are close, and what can be done. */
export default function LimitAlert({ near }: { near: LimitUse[] }) {
  const { i18n } = useLingui();
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
