import { Alert, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import type { Outcome } from './use-certificate-actions.ts';

/** The result of validating or issuing: a banner that stays until it is dismissed. */
export function OutcomeBanner({ outcome, onDismiss }: { outcome: Outcome; onDismiss: () => void }) {
  const banner = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (outcome) banner.current?.scrollIntoView({ block: 'nearest' });
  }, [outcome]);
  const { isSuccess, title, reason } = outcome;
  return (
    <Alert
      ref={banner}
      color={isSuccess ? 'green' : 'red'}
      role={isSuccess ? 'status' : 'alert'}
      icon={
        isSuccess ? <IconCircleCheck size={18} aria-hidden /> : <IconAlertTriangle size={18} aria-hidden />
      }
      title={title}
      withCloseButton
      onClose={onDismiss}
    >
      {reason !== null && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {reason}
        </Text>
      )}
    </Alert>
  );
}
