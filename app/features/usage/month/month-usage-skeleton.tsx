import { Trans } from '@lingui/react/macro';
import { Card, Skeleton } from '@mantine/core';
import { FigureLinesSkeleton } from './figure-lines.tsx';
import type { FigureName } from './month-figures.tsx';
import { MostUsedSkeleton } from './most-used.tsx';

interface MonthUsageSkeletonProps {
  figures: readonly FigureName[];
  hasMostUsed: boolean;
}

/** The content of a month's card while it is loading. */
export function MonthUsageSkeleton({ figures, hasMostUsed }: MonthUsageSkeletonProps) {
  return (
    <div role="status" aria-busy>
      <span className="visually-hidden">
        <Trans>Loading</Trans>
      </span>
      <FigureLinesSkeleton names={figures} />
      {hasMostUsed && <MostUsedSkeleton />}
    </div>
  );
}

/** The whole card, in the skeleton of a page. */
export function MonthUsageCardSkeleton({ figures, hasMostUsed }: MonthUsageSkeletonProps) {
  return (
    <Card>
      <Skeleton height={18} width={170} my={4} />
      <Skeleton height={12} width={260} maw="90%" mt={7} mb={22} />
      <FigureLinesSkeleton names={figures} />
      {hasMostUsed && <MostUsedSkeleton />}
    </Card>
  );
}
