import { Trans, useLingui } from '@lingui/react/macro';
import { Box, Card, Skeleton, Text } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Membership } from '#server/services/organizations/schema.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { LoadMorePages } from '../../../components/lists/load-more.tsx';
import { SearchField } from '../../../components/lists/search-field.tsx';
import { searchInAddress } from '../../../components/lists/search-in-address.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { MemberRow } from './member-row.tsx';
import classes from './members-tab.module.css';

const route = getRouteApi('/identity/organizations/$handle');

/** With fewer members than this, scanning is quicker than searching. */
const SEARCH_FROM = 8;

/** The members in all states: loading, failed, nothing found, rows; further pages come while scrolling. */
export function MembersList({ membership, isLastOwner }: { membership: Membership; isLastOwner: boolean }) {
  const { t } = useLingui();
  const { search } = route.useSearch();
  const navigate = route.useNavigate();
  const describe = useErrorMessage();
  const utils = trpc.useUtils();
  const members = trpc.organizations.members.useInfiniteQuery(
    { organization_id: membership.organization.id, search },
    { getNextPageParam: (page) => page.next_cursor ?? undefined, placeholderData: keepPreviousData },
  );
  const rows = members.data?.pages.flatMap((page) => page.items) ?? [];

  if (members.isPending) return <MembersSkeleton />;
  const retry = () => {
    // The membership itself may have ended meanwhile.
    void utils.organizations.publicProfile.invalidate();
    return members.refetch();
  };
  const failure = members.isError && rows.length === 0 && (
    <ErrorNotice onRetry={retry}>{describe(members.error)}</ErrorNotice>
  );
  // A search that fails leaves its field, with what is typed and the focus.
  if (failure && !search) return failure;
  return (
    <>
      {(search !== undefined || rows.length >= SEARCH_FROM) && (
        <Box mb="md" maw={{ sm: 320 }}>
          <SearchField
            label={t`Search members`}
            value={search ?? ''}
            onSearch={(text) => void navigate(searchInAddress(text))}
          />
        </Box>
      )}
      {failure || (
        <Card padding={0} className={classes.card} aria-busy={members.isPlaceholderData}>
          {rows.length === 0 ? (
            <Text c="dimmed" size="sm" ta="center" p="xl" role="status" style={{ overflowWrap: 'anywhere' }}>
              <Trans>No member matches “{search}”.</Trans>
            </Text>
          ) : (
            <ul className={classes.list} aria-label={t`Members`}>
              {rows.map((member) => (
                <MemberRow
                  key={member.user_id}
                  member={member}
                  membership={membership}
                  isLastOwner={isLastOwner && member.is_you}
                  search={search}
                />
              ))}
            </ul>
          )}
          <LoadMorePages query={members} />
        </Card>
      )}
    </>
  );
}

function MembersSkeleton() {
  return (
    <Card padding={0} className={classes.card} role="status" aria-busy>
      <span className="visually-hidden">
        <Trans>Loading</Trans>
      </span>
      {['60%', '45%', '52%'].map((width) => (
        <div key={width} className={classes.row}>
          <Skeleton circle height={36} />
          <Skeleton height={16} width={width} />
        </div>
      ))}
    </Card>
  );
}
