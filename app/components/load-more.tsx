import { Trans } from '@lingui/react/macro';
import { Button, Group } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { useEffect } from 'react';

/** The end of a paged list: the next page comes by itself when the end is near, or by the button. */
export function LoadMore(props: {
  hasMore: boolean;
  isLoading: boolean;
  isAutomatic?: boolean;
  onLoad: () => void;
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
