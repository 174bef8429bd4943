import { Trans, useLingui } from '@lingui/react/macro';
import { Skeleton, Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useRef } from 'react';
import { SectionCard } from '../../../components/page/section-card.tsx';
import { isNotFound } from '../../../i18n/errors/read-error.ts';
import { LimitsCard } from '../../limits/limits-card.tsx';
import { useOrganization } from '../../organizations/use-organization.ts';
import { hasStorage } from '../../storage/has-storage.ts';
import { StorageUsageCard } from '../../storage/usage/storage-usage-card.tsx';
import { UsageChart } from '../chart/usage-chart.tsx';
import { CsvButton } from '../csv-button.tsx';
import { TopFiles } from '../files/top-files.tsx';
import { NoUsage } from '../no-usage.tsx';
import { PeriodLinks } from '../period-links.tsx';
import { customDaysOf, rangeOfSearch, subjectOf } from '../period-search.ts';
import { RangeLine } from '../range-line.tsx';
import { StaleFigures } from '../stale-figures.tsx';
import { UsageTable } from '../table/usage-table.tsx';
import { UsageFailed } from '../usage-failed.tsx';
import { UsageNotes } from '../usage-notes.tsx';
import { UsageTiles } from '../usage-tiles.tsx';
import { useUsageOverview } from '../use-usage-overview.ts';
import { DayRangeForm } from './day-range-form.tsx';
import { SubjectChips } from './subject-chips.tsx';
import { UnknownSubject } from './unknown-subject.tsx';
import classes from './usage-page.module.css';
import { UsagePageHeader } from './usage-page-header.tsx';
import { UsageFiguresSkeleton } from './usage-page-skeleton.tsx';
import { useSubjectNames } from './use-subject-names.ts';

const usageRoute = getRouteApi('/$orgId/usage');

/** The usage of an organization in a period or a custom range, which are in the address. */
export function UsagePage() {
  const { orgId } = usageRoute.useParams();
  // Another organization's numbers start afresh: nothing of the previous one is shown meanwhile.
  return <OrganizationUsage key={orgId} organizationId={orgId} />;
}

function OrganizationUsage({ organizationId }: { organizationId: string }) {
  const { organization } = useOrganization();
  const search = usageRoute.useSearch();
  const navigate = usageRoute.useNavigate();
  const days = customDaysOf(search);
  const period = days ? 'custom' : (search.period ?? 'month');
  const range = rangeOfSearch(search, organizationId);
  const { overview, isStale, isLoadingAll, loadAll } = useUsageOverview(range, search);
  const { data } = overview;
  const subject = subjectOf(search);
  const isOfOne = Object.keys(subject).length > 0;
  return (
    <>
      <UsagePageHeader
        organizationId={organizationId}
        action={<CsvButton organizationId={organizationId} address={csvAddress('stats', data, subject)} />}
      />
      <Toolbar organizationId={organizationId} overview={overview} subject={subject} days={days} />
      <Stack gap="lg">
        {overview.isError &&
          (isOfOne && isNotFound(overview.error) ? (
            <UnknownSubject organizationId={organizationId} />
          ) : (
            <UsageFailed overview={overview} />
          ))}
        {overview.isPending && <UsageFiguresSkeleton />}
        {data && (
          <StaleFigures isStale={isStale}>
            <Stack gap="lg">
              <UsageTiles overview={data} period={period} hasHitRate isOfOne={isOfOne} />
              {data.resources.length === 0 ? (
                <NoUsage organizationId={organizationId} isOfOne={isOfOne} />
              ) : (
                <>
                  <Charts overview={data} />
                  <UsageTable
                    overview={data}
                    isLoadingAll={isLoadingAll}
                    onLoadAll={loadAll}
                    organizationId={organizationId}
                    view={search}
                    onView={(change) =>
                      void navigate({
                        search: (before) => ({ ...before, ...change }),
                        replace: true,
                        resetScroll: false,
                      })
                    }
                  />
                </>
              )}
            </Stack>
          </StaleFigures>
        )}
        {data && data.resources.length > 0 && (
          <TopFiles range={range} wholeBytes={data.summary.total_bytes_sent} />
        )}
        {data && <UsageNotes summary={data.summary} />}
        {!isOfOne && hasStorage(organization) && (
          <ObjectStorage organizationId={organizationId} search={search} overview={data} />
        )}
        {!isOfOne && <LimitsCard key={organizationId} />}
      </Stack>
    </>
  );
}

/** Where a range of usage can be downloaded as CSV; undefined before it is known which days it has. */
function csvAddress(
  kind: 'stats' | 'storage',
  days: { start_date: string; end_date: string } | undefined,
  subject: ReturnType<typeof subjectOf> = {},
): string | undefined {
  if (!days) return undefined;
  const query = new URLSearchParams({ start_date: days.start_date, end_date: days.end_date, ...subject });
  return `/api/v1/usage/${kind}.csv?${query}`;
}

/** Which site or hostname, and which days. */
function Toolbar(props: {
  organizationId: string;
  overview: ReturnType<typeof useUsageOverview>['overview'];
  subject: ReturnType<typeof subjectOf>;
  days: ReturnType<typeof customDaysOf>;
}) {
  const { organizationId, overview, subject, days } = props;
  const { t } = useLingui();
  const navigate = usageRoute.useNavigate();
  const names = useSubjectNames(organizationId, subject, overview.data?.resources);
  const toolbar = useRef<HTMLElement>(null);
  return (
    <section
      ref={toolbar}
      aria-label={t`Period and filters`}
      tabIndex={-1}
      data-place
      className={classes.toolbar}
    >
      <SubjectChips
        organizationId={organizationId}
        subject={subject}
        names={names}
        onRemoved={() => toolbar.current?.focus({ preventScroll: true })}
      />
      <PeriodLinks organizationId={organizationId} page="usage" subject={subject} />
      <DayRangeForm
        days={days ?? overview.data}
        onDays={(chosen) =>
          void navigate({
            search: (before) => ({ ...before, ...chosen, period: undefined }),
            resetScroll: false,
          })
        }
      />
      {overview.data && <RangeLine days={overview.data} />}
      {overview.isPending && <Skeleton height={12} width={130} my={5} />}
    </section>
  );
}

/** What the buckets of the organization held and served in the same days. */
function ObjectStorage(props: {
  organizationId: string;
  search: ReturnType<typeof usageRoute.useSearch>;
  overview: ReturnType<typeof useUsageOverview>['overview']['data'];
}) {
  const { organizationId, search, overview } = props;
  const days = customDaysOf(search) ?? { period: search.period ?? 'month' };
  return (
    <StorageUsageCard
      range={{ organization_id: organizationId, ...days }}
      title={<Trans>Object storage</Trans>}
      action={
        <CsvButton organizationId={organizationId} size="xs" address={csvAddress('storage', overview)}>
          <Trans>Storage as CSV</Trans>
        </CsvButton>
      }
    />
  );
}

/** The charts: all requests by status class, then bandwidth and cache next to each other. */
function Charts({
  overview,
}: {
  overview: NonNullable<ReturnType<typeof useUsageOverview>['overview']['data']>;
}) {
  const { points, granularity } = overview;
  return (
    <>
      <SectionCard title={<Trans>Requests by status class</Trans>}>
        <UsageChart points={points} granularity={granularity} kind="requests" />
      </SectionCard>
      <div className={classes.pair}>
        <SectionCard title={<Trans>Bandwidth</Trans>}>
          <UsageChart points={points} granularity={granularity} kind="bandwidth" />
        </SectionCard>
        <SectionCard title={<Trans>Cache</Trans>}>
          <UsageChart points={points} granularity={granularity} kind="cache" />
        </SectionCard>
      </div>
    </>
  );
}
