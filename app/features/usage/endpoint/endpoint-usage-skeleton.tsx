import { useLingui } from '@lingui/react/macro';
import { Skeleton, Stack } from '@mantine/core';
import { UsageChartSkeleton } from '../chart/usage-chart-skeleton.tsx';
import { UsageTilesSkeleton } from '../usage-tiles.tsx';
import { EndpointUsageCard } from './endpoint-usage-card.tsx';

/** An endpoint's usage metrics before their data, with the final layout. */
export function EndpointUsageSkeleton() {
  const { t } = useLingui();
  return (
    <div role="status" aria-busy aria-label={t`Loading`}>
      <EndpointUsageCard action={<Skeleton height={36} width={260} maw="100%" />}>
        <Stack gap="lg">
          <UsageTilesSkeleton count={4} />
          <UsageChartSkeleton />
          <Skeleton height={12} width={520} maw="100%" my={4} />
        </Stack>
      </EndpointUsageCard>
    </div>
  );
}
