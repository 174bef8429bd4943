import { Trans, useLingui } from '@lingui/react/macro';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import classes from '../period-links.module.css';
import { CHART_KINDS, type ChartKind } from './chart-series.ts';

const endpointRoute = getRouteApi('/$orgId/endpoints/$endpointId');

/** Returns the chart in the address. */
export function useChartKind(): ChartKind {
  return endpointRoute.useSearch().chart ?? 'requests';
}

/** The choice of chart: links, because it is in the address. It adds no history entry. */
export function ChartLinks() {
  const { t } = useLingui();
  return (
    <nav aria-label={t`Chart`} className={classes.periods}>
      {CHART_KINDS.map((kind) => (
        <Link
          key={kind}
          from="/$orgId/endpoints/$endpointId"
          search={(before) => ({ ...before, chart: kind === 'requests' ? undefined : kind })}
          replace
          resetScroll={false}
          className={classes.period}
          activeOptions={{ explicitUndefined: true }}
        >
          {WORDS[kind]}
        </Link>
      ))}
    </nav>
  );
}

const WORDS: Record<ChartKind, ReactNode> = {
  requests: <Trans>Requests</Trans>,
  bandwidth: <Trans>Bandwidth</Trans>,
  cache: <Trans>Cache</Trans>,
};
