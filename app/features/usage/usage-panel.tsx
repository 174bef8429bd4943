import { Trans, useLingui } from '@lingui/react/macro';
import { Skeleton, Stack, Title } from '@mantine/core';
import { MoreUsageLink } from './more-usage-link.tsx';
import { NoUsage } from './no-usage.tsx';
import { PeriodLinks } from './period-links.tsx';
import type { PanelPeriod } from './period-search.ts';
import { RangeLine } from './range-line.tsx';
import { StaleFigures } from './stale-figures.tsx';
import { type TableView, UsageTable, UsageTableSkeleton } from './table/usage-table.tsx';
import { UsageFailed } from './usage-failed.tsx';
import { UsageNotes } from './usage-notes.tsx';
import classes from './usage-panel.module.css';
import { UsageTiles, UsageTilesSkeleton } from './usage-tiles.tsx';
import { useUsageOverview } from './use-usage-overview.ts';

/**
 * The usage summary of an organization: period, days, three numbers, and the share of each endpoint and site.
 */
export function UsagePanel(props: {
  organizationId: string;
  period: PanelPeriod;
  view: TableView;
  onView: (change: TableView) => void;
}) {
  const { organizationId, period, view, onView } = props;
  const { overview, isStale, isLoadingAll, loadAll } = useUsageOverview(
    { organization_id: organizationId, period },
    view,
  );
  const { data } = overview;
  return (
    <section>
      <div className={classes.head}>
        <div>
          <Title order={2}>
            <Trans>Usage</Trans>
          </Title>
          {data && <RangeLine days={data} />}
          {overview.isPending && <Skeleton height={12} width={130} my={5} />}
        </div>
        <PeriodLinks organizationId={organizationId} page="billing" />
      </div>
      <Stack gap="lg">
        {overview.isError && <UsageFailed overview={overview} />}
        {overview.isPending && <FiguresSkeleton />}
        {data && (
          <StaleFigures isStale={isStale}>
            <Stack gap="lg">
              <UsageTiles overview={data} period={period} />
              {data.resources.length === 0 ? (
                <NoUsage organizationId={organizationId} />
              ) : (
                <UsageTable
                  overview={data}
                  isLoadingAll={isLoadingAll}
                  onLoadAll={loadAll}
                  organizationId={organizationId}
                  view={view}
                  onView={onView}
                />
              )}
              <UsageNotes summary={data.summary} />
            </Stack>
          </StaleFigures>
        )}
        <MoreUsageLink organizationId={organizationId} search={period === 'month' ? {} : { period }}>
          <Trans>Charts, files and CSV</Trans>
        </MoreUsageLink>
      </Stack>
    </section>
  );
}

/** The panel before its data. */
export function UsagePanelSkeleton() {
  return (
    <section>
      <div className={classes.head}>
        <div>
          <Title order={2}>
            <Trans>Usage</Trans>
          </Title>
          <Skeleton height={12} width={130} my={5} />
        </div>
        <Skeleton height={36} maw={256} />
      </div>
      <FiguresSkeleton />
    </section>
  );
}

function FiguresSkeleton() {
  const { t } = useLingui();
  return (
    <Stack gap="lg" aria-busy aria-label={t`Loading`} role="status">
      <UsageTilesSkeleton count={3} />
      <UsageTableSkeleton />
    </Stack>
  );
}
