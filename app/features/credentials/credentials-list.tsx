import { Trans, useLingui } from '@lingui/react/macro';
import { Box, Card, Stack, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import type { Credential } from '#server/services/credentials/schema.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { EmptyState } from '../../components/lists/empty-state.tsx';
import { LoadMorePages } from '../../components/lists/load-more.tsx';
import { SearchField } from '../../components/lists/search-field.tsx';
import { searchInAddress } from '../../components/lists/search-in-address.ts';
import { logFailure } from '../../i18n/errors/log-failure.ts';
import { CredentialCard } from './credential-card.tsx';
import type { useCredentialPages } from './use-credential-pages.ts';

const route = getRouteApi('/$orgId/credentials');
/** With fewer credentials than this, scanning is quicker than searching. */
const SEARCH_FROM = 8;

/**
 * The credentials that the address asks for, in all states of the list: failed, empty, nothing found, cards;
 * further ones load while scrolling. A list that cannot be loaded is logged and can be retried.
 */
export function CredentialsList(props: {
  list: ReturnType<typeof useCredentialPages>;
  createButton: ReactNode;
  reason: string | null;
  onEdit: (credential: Credential) => void;
}) {
  const { t } = useLingui();
  const { list, createButton, reason, onEdit } = props;
  const { pages, rows, search = '', hasNone } = list;
  const navigate = route.useNavigate();
  const { error } = pages;
  useEffect(() => {
    if (error) logFailure(error);
  }, [error]);
  const failure = pages.isError && pages.data === undefined && (
    <ErrorNotice onRetry={pages.refetch}>
      <Trans>The credentials could not be loaded.</Trans>
    </ErrorNotice>
  );
  // A search that fails leaves its field, with what is typed and the focus.
  if (failure && search === '') return failure;
  if (hasNone) {
    return (
      <Card padding={0}>
        <EmptyState icon={IconKey} title={<Trans>No credentials yet</Trans>} action={createButton}>
          <Trans>
            A credential lets your continuous integration, the command line and your scripts deploy without
            you. It gives access only to what you choose and can be deleted at any time.
          </Trans>
        </EmptyState>
      </Card>
    );
  }
  return (
    <>
      {(rows.length >= SEARCH_FROM || search !== '' || pages.isPlaceholderData) && (
        <Box maw={{ sm: 320 }}>
          <SearchField
            label={t`Search credentials`}
            value={search}
            onSearch={(text) => void navigate(searchInAddress(text))}
          />
        </Box>
      )}
      {failure || (
        <Stack gap="md" aria-busy={pages.isPlaceholderData}>
          {rows.length === 0 && (
            <Text c="dimmed" size="sm" ta="center" py="xl" role="status">
              <Trans>No credential matches “{search}”.</Trans>
            </Text>
          )}
          {rows.map((credential) => (
            <CredentialCard
              key={credential.id}
              credential={credential}
              reason={reason}
              onEdit={() => onEdit(credential)}
            />
          ))}
          <LoadMorePages query={pages} />
        </Stack>
      )}
    </>
  );
}
