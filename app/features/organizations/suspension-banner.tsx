import { Trans } from '@lingui/react/macro';
import { Alert, Text } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { usePlace } from './place-provider.tsx';

/** Says on every page of an organization that an operator has stopped it, and why. Nothing for any other. */
export function SuspensionBanner() {
  const { membership } = usePlace();
  if (!membership || membership.organization.suspended_at === null) return null;
  const { suspension_reason: reason } = membership.organization;
  return (
    <Alert
      color="yellow"
      icon={<IconLock size={18} aria-hidden />}
      role="status"
      mb="lg"
      title={<Trans>This organization is suspended</Trans>}
    >
      {reason && (
        <Text size="sm" fw={500} mb={4} style={{ overflowWrap: 'anywhere' }}>
          {reason}
        </Text>
      )}
      <Text size="sm">
        <Trans>
          Its sites do not answer. Everything can be read here, and nothing can be changed until whoever runs
          this installation lifts the suspension.
        </Trans>
      </Text>
    </Alert>
  );
}
