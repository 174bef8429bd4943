import { useLingui } from '@lingui/react/macro';
import { Card, Group, Skeleton } from '@mantine/core';

const WIDTHS = [180, 120, 220, 150];

/** A bucket's page before its data, with the final layout. */
export function BucketPageSkeleton() {
  const { t } = useLingui();
  return (
    <div role="status" aria-busy aria-label={t`Loading`}>
      <Skeleton height={14} width={160} mb="sm" />
      <Group justify="space-between" mb="lg">
        <Skeleton height={30} width={240} maw="60%" />
        <Skeleton height={36} width={220} maw="35%" />
      </Group>
      <Skeleton height={36} width={320} maw="100%" mb="md" />
      <ObjectRowsSkeleton />
    </div>
  );
}

/** Rows of a list that is loading. */
export function ObjectRowsSkeleton() {
  return (
    <Card padding="md">
      {WIDTHS.map((width) => (
        <Skeleton key={width} height={14} width={width} maw="100%" my={14} />
      ))}
    </Card>
  );
}
