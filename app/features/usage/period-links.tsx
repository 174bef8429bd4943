import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { trpc } from '../../trpc.ts';
import { lastMonthDays } from './last-month.ts';
import classes from './period-links.module.css';
import { PANEL_PERIODS, type PanelPeriod, type UsageSubject } from './period-search.ts';
import { overviewInput } from './usage-range.ts';

/**
 * The period selector: links, because a period is an address; the one that is shown is current, and none
 * while the address names other days. Pointing at one prefetches it.
 */
export function PeriodLinks(props: {
  organizationId: string;
  page: 'billing' | 'usage';
  /** What the page's usage is filtered by. */
  subject?: UsageSubject;
}) {
  const { t } = useLingui();
  const { organizationId, page, subject } = props;
  const utils = trpc.useUtils();
  const lastMonth = lastMonthDays(Date.now());
  const choices = [
    ...PANEL_PERIODS.map((period) => ({
      words: WORDS[period],
      range: { period },
      search: { period: period === 'month' ? undefined : period },
    })),
    // Its days are those of the last invoice.
    ...(page === 'usage'
      ? [
          {
            words: <Trans>Last Month</Trans>,
            range: lastMonth,
            search: { period: undefined, ...lastMonth },
          },
        ]
      : []),
  ];
  return (
    <nav aria-label={t`Period`} className={classes.periods}>
      {choices.map(({ words, range, search }) => {
        const fetchIt = () =>
          void utils.usage.overview
            .prefetch(overviewInput({ organization_id: organizationId, ...range, ...subject }, false))
            .catch(() => undefined);
        return (
          <Link
            key={JSON.stringify(range)}
            to={`/$orgId/${page}`}
            params={{ orgId: organizationId }}
            search={(before: object) => ({ ...before, ...NO_DAYS, ...search })}
            resetScroll={false}
            className={classes.period}
            // An absent period in the address does not match one that is named.
            activeOptions={{ includeSearch: true, explicitUndefined: true }}
            onPointerEnter={fetchIt}
            onFocus={fetchIt}
          >
            {words}
          </Link>
        );
      })}
    </nav>
  );
}

/** A period in the address replaces the days in it. */
const NO_DAYS = { start_date: undefined, end_date: undefined };

/** The names of the periods. */
const WORDS: Record<PanelPeriod, ReactNode> = {
  month: <Trans>This Month</Trans>,
  week: <Trans>This Week</Trans>,
  day: <Trans>Today</Trans>,
};
