import { Trans, useLingui } from '@lingui/react/macro';
import { Box, Card, Text } from '@mantine/core';
import { IconWorld } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { EmptyState } from '../../../components/lists/empty-state.tsx';
import { LoadMorePages } from '../../../components/lists/load-more.tsx';
import { SearchField } from '../../../components/lists/search-field.tsx';
import { searchInAddress } from '../../../components/lists/search-in-address.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import classes from './endpoint-table.module.css';
import { EndpointTable, EndpointTableSkeleton } from './endpoint-table.tsx';
import { useEndpointPages } from './use-endpoints.ts';

const cdnRoute = getRouteApi('/$orgId/cdn/');

/**
 * The list in all its states: loading, failed, empty, nothing found, rows; further pages load while
 * scrolling.
 */
export function EndpointsList({ addButton }: { addButton: ReactNode }) {
  const { t } = useLingui();
  const { endpoints, rows, search, hasNone } = useEndpointPages();
  const navigate = cdnRoute.useNavigate();
  const describe = useErrorMessage();
  if (endpoints.isPending) return <EndpointTableSkeleton />;
  const message = endpoints.isError ? describe(endpoints.error) : '';
  const failure = endpoints.isError && !endpoints.isFetchNextPageError && (
    <ErrorNotice onRetry={endpoints.refetch}>
      <Trans>Error: {message}</Trans>
    </ErrorNotice>
  );
  // A search that fails leaves its field, with what is typed and the focus.
  if (failure && !search) return failure;
  if (hasNone) {
    return (
      <Card padding={0}>
        <EmptyState icon={IconWorld} title={<Trans>No CDN endpoints yet</Trans>} action={addButton}>
          <Trans>
            Create your first endpoint: enter your hostname, add the DNS records shown, and your site is
            served there with its own certificate.
          </Trans>
        </EmptyState>
      </Card>
    );
  }
  return (
    <>
      <Box mb="md" maw={{ sm: 320 }}>
        <SearchField
          label={t`Search endpoints`}
          value={search ?? ''}
          onSearch={(text) => void navigate(searchInAddress(text))}
        />
      </Box>
      {failure || (
        <Card padding={0} className={classes.card} aria-busy={endpoints.isPlaceholderData}>
          {rows.length === 0 ? (
            <Text c="dimmed" size="sm" ta="center" py="xl" role="status">
              <Trans>No endpoint matches “{search}”.</Trans>
            </Text>
          ) : (
            <EndpointTable endpoints={rows} hasMore={endpoints.hasNextPage} now={endpoints.dataUpdatedAt} />
          )}
          <LoadMorePages query={endpoints} />
        </Card>
      )}
    </>
  );
}
