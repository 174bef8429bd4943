import { Alert, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useKeptPlace } from './focus/use-kept-place.ts';
import { RetryButton } from './retry-button.tsx';

/**
 * Says in place what failed, announced immediately; `onRetry` offers to try again, and the button waits for what it returns. What is
 * read again by itself meanwhile does not take the button away from a person on the way to it.
 */
export function ErrorNotice({ children, onRetry }: { children: ReactNode; onRetry?: () => unknown }) {
  const [isWaiting, setWaiting] = useState(false);
  const { button, keepPlace } = useKeptPlace(isWaiting);
  const retry = async () => {
    keepPlace();
    setWaiting(true);
    try {
      await onRetry?.();
    } finally {
      setWaiting(false);
    }
  };
  return (
    <Alert color="red" icon={<IconAlertTriangle size={18} aria-hidden />} role="alert">
      <Group justify="space-between" gap="sm">
        <Text size="sm" component="div" style={{ flex: '1 1 12rem', overflowWrap: 'anywhere' }}>
          {children}
        </Text>
        {onRetry && (
          <RetryButton ref={button} variant="default" size="xs" onRetry={retry} loading={isWaiting} />
        )}
      </Group>
    </Alert>
  );
}
