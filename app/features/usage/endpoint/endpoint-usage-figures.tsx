import { Trans, useLingui } from '@lingui/react/macro';
import { Stack, Text } from '@mantine/core';
import { formatDayRange } from '../../../i18n/formats/format-day-range.ts';
import { trpc } from '../../../trpc.ts';
import { ChartLinks, useChartKind } from '../chart/chart-links.tsx';
import { UsageChart } from '../chart/usage-chart.tsx';
import { TopFiles } from '../files/top-files.tsx';
import { MoreUsageLink } from '../more-usage-link.tsx';
import { UsageNotes } from '../usage-notes.tsx';
import type { OrganizationRange } from '../usage-range.ts';
import { EndpointUsageCard } from './endpoint-usage-card.tsx';
import { ENDPOINT_USAGE_META } from './endpoint-usage-range.ts';
import { EndpointUsageTiles } from './endpoint-usage-tiles.tsx';

/** The numbers grow every second; refreshing more often would only be distracting. */
const REFRESH_MS = 30_000;

/** What an endpoint served: numbers, one chart at a time, notes, and the most requested files. */
export function EndpointUsageFigures({ range, hasFiles }: { range: OrganizationRange; hasFiles: boolean }) {
  const { i18n } = useLingui();
  const kind = useChartKind();
  const [overview] = trpc.usage.overview.useSuspenseQuery(range, {
    refetchInterval: REFRESH_MS,
    meta: ENDPOINT_USAGE_META,
  });
  const { summary, points, granularity, start_date, end_date } = overview;
  const hasUsage = summary.total_requests > 0;
  return (
    <>
      <EndpointUsageCard
        days={formatDayRange(start_date, end_date, i18n.locale)}
        action={hasUsage && <ChartLinks />}
      >
        <Stack gap="lg">
          {hasUsage ? (
            <>
              <EndpointUsageTiles overview={overview} />
              <UsageChart points={points} granularity={granularity} kind={kind} />
            </>
          ) : (
            <Text c="dimmed" size="sm" ta="center" py="xl">
              <Trans>No usage data available for this endpoint</Trans>
            </Text>
          )}
          <UsageNotes summary={summary} />
          {hasUsage && (
            <MoreUsageLink
              organizationId={range.organization_id}
              search={{ cdn_endpoint_id: range.cdn_endpoint_id, start_date, end_date }}
            >
              <Trans>Other periods and CSV</Trans>
            </MoreUsageLink>
          )}
        </Stack>
      </EndpointUsageCard>
      {hasUsage && hasFiles && <TopFiles range={range} wholeBytes={summary.total_bytes_sent} />}
    </>
  );
}
