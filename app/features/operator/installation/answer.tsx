import { Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';

/** How often the state of the installation is read while it is visible. */
export const REFRESH_MS = 30_000;

/** The response of a query, or a placeholder. */
export function Answer(props: {
  query: { isPending: boolean; isFetching: boolean; error: unknown; data?: unknown; refetch: () => unknown };
  children: ReactNode;
}) {
  const describe = useErrorMessage();
  const { query, children } = props;
  if (query.isPending) return <Skeleton height={48} />;
  if (query.error && query.data === undefined) {
    return <ErrorNotice onRetry={query.refetch}>{describe(query.error)}</ErrorNotice>;
  }
  return children;
}

/** The text of a card without content. */
export function Nothing({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  );
}
