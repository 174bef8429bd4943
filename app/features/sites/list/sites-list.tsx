import { Trans, useLingui } from '@lingui/react/macro';
import { Box, Card, Text } from '@mantine/core';
import { IconWorldWww } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { EmptyState } from '../../../components/lists/empty-state.tsx';
import { LoadMorePages } from '../../../components/lists/load-more.tsx';
import { SearchField } from '../../../components/lists/search-field.tsx';
import { searchInAddress } from '../../../components/lists/search-in-address.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { SitesTable, SitesTableSkeleton } from './sites-table.tsx';
import { useSites } from './use-sites.ts';

const sitesRoute = getRouteApi('/$orgId/sites/');

/**
 * The list in all its states: loading, failed, empty, nothing found, rows; further pages load while
 * scrolling.
 */
export function SitesList({ createButton }: { createButton: ReactNode }) {
  const { t } = useLingui();
  const { sites, rows, search, hasNone } = useSites();
  const navigate = sitesRoute.useNavigate();
  const describe = useErrorMessage();
  if (sites.isPending) return <SitesTableSkeleton />;
  const hasFailed = sites.isError && rows.length === 0;
  const message = hasFailed ? describe(sites.error) : '';
  const failure = hasFailed && (
    <ErrorNotice onRetry={sites.refetch}>
      <Trans>Error: {message}</Trans>
    </ErrorNotice>
  );
  // A search that fails leaves its field, with what is typed and the focus.
  if (failure && !search) return failure;
  if (hasNone) {
    return (
      <Card padding={0}>
        <EmptyState icon={IconWorldWww} title={<Trans>No sites</Trans>} action={createButton}>
          <Trans>Create your first site: choose a name, drop a folder, and it is live in seconds.</Trans>
        </EmptyState>
      </Card>
    );
  }
  return (
    <>
      <Box mb="md" maw={{ sm: 320 }}>
        <SearchField
          label={t`Search sites`}
          value={search ?? ''}
          onSearch={(text) => void navigate(searchInAddress(text))}
        />
      </Box>
      {failure || (
        <Card padding={0} aria-busy={sites.isPlaceholderData}>
          {rows.length === 0 ? (
            <Text c="dimmed" size="sm" ta="center" py="xl" role="status">
              <Trans>No site matches “{search}”.</Trans>
            </Text>
          ) : (
            <SitesTable sites={rows} />
          )}
          <LoadMorePages query={sites} />
        </Card>
      )}
    </>
  );
}
