import { Trans, useLingui } from '@lingui/react/macro';
import { Box, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Credential } from '#server/services/credentials/schema.ts';
import { LoadMore } from '../../components/lists/load-more.tsx';
import { SearchField } from '../../components/lists/search-field.tsx';
import { searchInAddress } from '../../components/lists/search-in-address.ts';
import { useShownRows } from '../../components/lists/use-shown-rows.ts';
import { CredentialCard } from './credential-card.tsx';
import { filterCredentials } from './filter-credentials.ts';

const route = getRouteApi('/$orgId/credentials');
/** All credentials are loaded; this many further cards are rendered whenever their end is near. */
const PAGE_SIZE = 25;
/** With fewer credentials than this, scanning is quicker than searching. */
const SEARCH_FROM = 8;

/** The cards of the credentials that the address asks for; further ones appear while scrolling. */
export function CredentialsList(props: {
  credentials: readonly Credential[];
  reason: string | null;
  onEdit: (credential: Credential) => void;
}) {
  const { t } = useLingui();
  const { credentials, reason, onEdit } = props;
  const { search = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const { shownMax, showMore, reset } = useShownRows(PAGE_SIZE);
  const found = filterCredentials(credentials, search);
  return (
    <>
      {(credentials.length >= SEARCH_FROM || search !== '') && (
        <Box maw={{ sm: 320 }}>
          <SearchField
            label={t`Search credentials`}
            value={search}
            onSearch={(text) => {
              reset();
              void navigate(searchInAddress(text));
            }}
          />
        </Box>
      )}
      {found.length === 0 && (
        <Text c="dimmed" size="sm" ta="center" py="xl" role="status">
          <Trans>No credential matches “{search}”.</Trans>
        </Text>
      )}
      {found.slice(0, shownMax).map((credential) => (
        <CredentialCard
          key={credential.id}
          credential={credential}
          reason={reason}
          onEdit={() => onEdit(credential)}
        />
      ))}
      <LoadMore hasMore={found.length > shownMax} isLoading={false} onLoad={showMore} />
    </>
  );
}
