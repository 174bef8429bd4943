import { Trans, useLingui } from '@lingui/react/macro';
import { Box, Card, Text } from '@mantine/core';
import { IconWorld } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { EmptyState } from '../../../components/lists/empty-state.tsx';
import { LoadMore } from '../../../components/lists/load-more.tsx';
import { SearchField } from '../../../components/lists/search-field.tsx';
import { searchInAddress } from '../../../components/lists/search-in-address.ts';
import { useErrorMessage } from '../../../i18n/use-error-message.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import classes from './endpoint-table.module.css';
import { EndpointTable, EndpointTableSkeleton } from './endpoint-table.tsx';
import { filterEndpoints } from './filter-endpoints.ts';
import { useEndpoints } from './use-endpoints.ts';

const cdnRoute = getRouteApi('/$orgId/cdn/');
/** The list is loaded as a whole; this many further rows are rendered whenever its end is near. */
const PAGE_SIZE = 50;

/**
 * The list in all its states: loading, failed, empty, nothing found, rows; further rows appear while
 * scrolling.
 */
export function EndpointsList({ addButton }: { addButton: ReactNode }) {
  const { t } = useLingui();
  const { organization } = useOrganization();
  const { search } = cdnRoute.useSearch();
  const navigate = cdnRoute.useNavigate();
  const describe = useErrorMessage();
  const endpoints = useEndpoints({ organization_id: organization.id });
  const [shownMax, setShownMax] = useState(PAGE_SIZE);

  if (endpoints.isPending) return <EndpointTableSkeleton />;
  if (endpoints.isError) {
    const message = describe(endpoints.error);
    return (
      <ErrorNotice onRetry={() => void endpoints.refetch()} isRetrying={endpoints.isFetching}>
        <Trans>Error: {message}</Trans>
      </ErrorNotice>
    );
  }
  if (endpoints.data.length === 0) {
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
  const found = filterEndpoints(endpoints.data, search ?? '');
  return (
    <>
      <Box mb="md" maw={{ sm: 320 }}>
        <SearchField
          label={t`Search endpoints`}
          value={search ?? ''}
          onSearch={(text) => {
            setShownMax(PAGE_SIZE);
            void navigate(searchInAddress(text));
          }}
        />
      </Box>
      <Card padding={0} className={classes.card}>
        {found.length === 0 ? (
          <Text c="dimmed" size="sm" ta="center" py="xl" role="status">
            <Trans>No endpoint matches “{search}”.</Trans>
          </Text>
        ) : (
          <EndpointTable endpoints={found.slice(0, shownMax)} now={endpoints.dataUpdatedAt} />
        )}
        <LoadMore
          hasMore={found.length > shownMax}
          isLoading={false}
          onLoad={() => setShownMax(shownMax + PAGE_SIZE)}
        />
      </Card>
    </>
  );
}
