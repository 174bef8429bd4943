import { Trans } from '@lingui/react/macro';
import { Button, Group } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { useEffect } from 'react';

/** A paged query, as the query library describes it. */
export interface PagedQuery {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  fetchNextPage: () => unknown;
}

/**
 * The end of a list whose pages come from a query: after a failed page, the next one is loaded by the button
 * only.
 */
export function LoadMorePages({ query }: { query: PagedQuery }) {
  return (
    <LoadMore
      hasMore={query.hasNextPage}
      isLoading={query.isFetchingNextPage}
      isAutomatic={!query.isFetchNextPageError}
      onLoad={query.fetchNextPage}
    />
  );
}

/** The end of a paged list: the next page is loaded automatically when the end is near, or by the button. */
export function LoadMore(props: {
  hasMore: boolean;
  isLoading: boolean;
  isAutomatic?: boolean;
  onLoad: () => unknown;
}) {
  const { hasMore, isLoading, isAutomatic = true, onLoad } = props;
  const { ref, entry } = useIntersection({ rootMargin: '400px' });
  const isNear = entry?.isIntersecting ?? false;
  useEffect(() => {
    if (isAutomatic && isNear && hasMore && !isLoading) onLoad();
  }, [isAutomatic, isNear, hasMore, isLoading, onLoad]);
  if (!hasMore) return null;
  return (
    <Group justify="center" p="md" ref={ref}>
      <Button variant="default" onClick={onLoad} loading={isLoading}>
        <Trans>Load more</Trans>
      </Button>
    </Group>
  );
}
