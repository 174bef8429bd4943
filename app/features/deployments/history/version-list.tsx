import { Plural, Trans } from '@lingui/react/macro';
import { Card, Text, Title } from '@mantine/core';
import { useEffect } from 'react';
import type { Site } from '#server/services/sites/schema.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { LoadMore } from '../../../components/lists/load-more.tsx';
import { trpc } from '../../../trpc.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import type { Resumption } from './use-resumption.ts';
import classes from './version-list.module.css';
import { VersionListSkeleton } from './version-list-skeleton.tsx';
import { VersionRow } from './version-row.tsx';

/** How often the list looks for a deploy from elsewhere while the page is visible. */
const REFRESH_MS = 10_000;
/** Beyond this, reading every page again would be too much. */
const REFRESHED_PAGES_MAX = 2;
const VERSIONS_PER_PAGE = 20;

/**
 * The deployment history of a site, newest first; `onChanged` is called when another version became current,
 * `onResume` with the files to resume an interrupted deploy; without it none can be resumed.
 */
export function VersionList(props: {
  site: Site;
  onChanged: () => void;
  onResume?: (resumption: Resumption) => void;
}) {
  const { site, onChanged, onResume } = props;
  const { organization } = useOrganization();
  const versions = trpc.deployments.list.useInfiniteQuery(
    { organization_id: organization.id, site_id: site.id, limit: VERSIONS_PER_PAGE },
    {
      getNextPageParam: (page) => page.next_cursor ?? undefined,
      refetchInterval: ({ state }) =>
        (state.data?.pages.length ?? 0) <= REFRESHED_PAGES_MAX ? REFRESH_MS : false,
      refetchOnWindowFocus: 'always',
    },
  );
  const list = versions.data?.pages.flatMap((page) => page.items) ?? [];

  // A deploy or rollback from elsewhere shows here first: the rest of the page is out of date.
  const currentId = list.find((version) => version.is_current)?.id;
  useEffect(() => {
    if (currentId !== undefined && currentId !== site.current_version_id) onChanged();
  }, [currentId, site.current_version_id, onChanged]);

  if (versions.isPending) {
    return (
      <Card padding={0} aria-busy>
        <VersionListSkeleton />
      </Card>
    );
  }
  return (
    <Card component="section" padding={0} id="history">
      <div className={classes.head}>
        <Title order={2}>
          <Trans>Deployment history</Trans>
        </Title>
        {list.length === 0 && !versions.isError && (
          <Text size="sm" c="dimmed" mt="xs">
            <Trans>
              Nothing has been deployed yet. Every deploy appears here and can be restored with one click.
            </Trans>
          </Text>
        )}
        {versions.isError && list.length === 0 && (
          <ErrorNotice onRetry={versions.refetch}>
            <Trans>Failed to load versions</Trans>
          </ErrorNotice>
        )}
      </div>
      {list.length > 0 && (
        <ol className={classes.list}>
          {list.map((version, index) => (
            <VersionRow
              key={version.id}
              site={site}
              version={version}
              newer={list.slice(0, index)}
              onChanged={onChanged}
              onResume={onResume}
            />
          ))}
        </ol>
      )}
      {site.removed_versions > 0 && !versions.hasNextPage && (
        <Text size="sm" c="dimmed" p="md">
          <Plural
            value={site.removed_versions}
            one="# older version was removed under the retention settings of this site."
            other="# older versions were removed under the retention settings of this site."
          />
        </Text>
      )}
      <LoadMore
        hasMore={versions.hasNextPage}
        isLoading={versions.isFetchingNextPage}
        isAutomatic={false}
        onLoad={versions.fetchNextPage}
      />
    </Card>
  );
}
