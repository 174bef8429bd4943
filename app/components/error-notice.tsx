import { Alert, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useKeptPlace } from './focus/use-kept-place.ts';
import { RetryButton } from './retry-button.tsx';

/** Says in place what failed, announced immediately; `onRetry` offers to try again. */
export function ErrorNotice(props: { children: ReactNode; onRetry?: () => void; isRetrying?: boolean }) {
  const { onRetry, isRetrying = false } = props;
  const { button, keepPlace } = useKeptPlace(isRetrying);
  const retry = () => {
    keepPlace();
    onRetry?.();
  };
  return (
    <Alert color="red" icon={<IconAlertTriangle size={18} aria-hidden />} role="alert">
      <Group justify="space-between" gap="sm">
        <Text size="sm" component="div" style={{ flex: '1 1 12rem', overflowWrap: 'anywhere' }}>
          {props.children}
        </Text>
        {onRetry && (
          <RetryButton ref={button} variant="default" size="xs" onRetry={retry} loading={isRetrying} />
        )}
      </Group>
    </Alert>
  );
}
