import { Trans, useLingui } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { SectionCard } from '../../../components/page/section-card.tsx';
import { formatDayRange } from '../../../i18n/formats/format-day-range.ts';
import { type FigureName, MonthFigures } from './month-figures.tsx';
import classes from './month-usage-card.module.css';
import { MonthUsageSkeleton } from './month-usage-skeleton.tsx';
import { isWithoutTraffic, type MonthUsage, type useMonthUsage } from './use-month-usage.ts';

/** A card with the month to date, in each of its states. */
export function MonthUsageCard(props: {
  monthUsage: ReturnType<typeof useMonthUsage>;
  figures: readonly FigureName[];
  action: ReactNode;
  /** Replaces the numbers while there is no traffic. */
  whenEmpty: (usage: MonthUsage) => ReactNode;
  /** Below the numbers: the busiest endpoint or site. */
  mostUsed?: (usage: MonthUsage) => ReactNode;
}) {
  const { monthUsage, figures, action, whenEmpty, mostUsed } = props;
  const { usage, error, refetch } = monthUsage;
  const title = <Trans>Usage this month</Trans>;
  if (!usage && error) {
    return (
      <SectionCard title={title} action={action}>
        <ErrorNotice onRetry={refetch}>
          <Trans>Failed to load usage statistics</Trans>
        </ErrorNotice>
      </SectionCard>
    );
  }
  if (!usage) {
    return (
      <SectionCard title={title} action={action}>
        <RangeLine>{'\u00a0'}</RangeLine>
        <MonthUsageSkeleton figures={figures} hasMostUsed={mostUsed !== undefined} />
      </SectionCard>
    );
  }
  if (isWithoutTraffic(usage)) {
    return (
      <SectionCard title={title} action={action}>
        {whenEmpty(usage)}
      </SectionCard>
    );
  }
  return (
    <SectionCard title={title} action={action}>
      <RangeLine>
        <RangeWords usage={usage} />
      </RangeLine>
      <MonthFigures usage={usage} names={figures} />
      {mostUsed?.(usage)}
    </SectionCard>
  );
}

/** Below title and link, so that it has the whole width of a narrow card. */
function RangeLine({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed" className={classes.range}>
      {children}
    </Text>
  );
}

/** The days, and what they are compared with, if anything. */
function RangeWords({ usage }: { usage: MonthUsage }) {
  const { i18n } = useLingui();
  const { start_date: start, end_date: end, previous } = usage.month;
  const days = formatDayRange(start, end, i18n.locale);
  if (previous.total_requests === 0) return <Trans>{days} (UTC)</Trans>;
  return <Trans>{days} (UTC), compared with the same time last month</Trans>;
}
