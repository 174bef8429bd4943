import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { trpc } from '../../trpc.ts';
import classes from './period-links.module.css';
import { PANEL_PERIODS, type PanelPeriod, type UsageSubject } from './period-search.ts';
import { overviewInput } from './usage-range.ts';

/**
 * The period selector: links, because a period is an address; the one that is shown is current, and none
 * while the address names custom days. Pointing at one prefetches it.
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
  return (
    <nav aria-label={t`Period`} className={classes.periods}>
      {PANEL_PERIODS.map((period) => {
        const fetchIt = () =>
          void utils.usage.overview
            .prefetch(overviewInput({ organization_id: organizationId, period, ...subject }, false))
            .catch(() => undefined);
        return (
          <Link
            key={period}
            to={`/$orgId/${page}`}
            params={{ orgId: organizationId }}
            search={(before: object) => ({
              ...before,
              start_date: undefined,
              end_date: undefined,
              period: period === 'month' ? undefined : period,
            })}
            resetScroll={false}
            className={classes.period}
            // An absent period in the address does not match one that is named.
            activeOptions={{ includeSearch: true, explicitUndefined: true }}
            onPointerEnter={fetchIt}
            onFocus={fetchIt}
          >
            {WORDS[period]}
          </Link>
        );
      })}
    </nav>
  );
}

/** The names of the periods. */
const WORDS: Record<PanelPeriod, ReactNode> = {
  month: <Trans>This Month</Trans>,
  week: <Trans>This Week</Trans>,
  day: <Trans>Today</Trans>,
};
