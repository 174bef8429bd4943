import { Trans } from '@lingui/react/macro';
import { Alert, Text } from '@mantine/core';
import { IconFlask } from '@tabler/icons-react';
import { useSettings } from '../../use-settings.ts';

/** Says that billing is a sandbox here. Renders nothing otherwise. */
export function SandboxNotice() {
  const { billingMode } = useSettings();
  if (billingMode !== 'sandbox') return null;
  return (
    <Alert
      color="yellow"
      icon={<IconFlask size={18} aria-hidden />}
      role="note"
      title={<Trans>Sandbox: no money moves</Trans>}
    >
      <Text size="sm">
        <Trans>Billing works as it would in production, but with test cards only.</Trans>
      </Text>
    </Alert>
  );
}
