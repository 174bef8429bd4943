import { Trans } from '@lingui/react/macro';
import { ClientOnly } from '@tanstack/react-router';
import { Suspense } from 'react';
import type { UsagePoint } from '#server/services/usage/schema.ts';
import { lazyPart } from '../../../components/lazy-parts/lazy-part.tsx';
import type { Granularity } from './chart-dates.ts';
import { ChartLegend } from './chart-legend.tsx';
import { barOf, type ChartKind } from './chart-series.ts';
import { ChartTable } from './chart-table.tsx';
import classes from './usage-chart.module.css';

/** The drawing library is as heavy as half a page: it is loaded when there is something to draw. */
const ChartCanvas = lazyPart(() => import('./chart-canvas.tsx'));

/**
 * Draws counts, a bar for each day or hour (UTC), with a legend and the same numbers as a table. Its height
 * is fixed from the first paint; the graphic follows.
 */
export function UsageChart(props: {
  points: readonly UsagePoint[];
  granularity: Granularity;
  kind: ChartKind;
}) {
  const { points, kind } = props;
  const isEmpty = points.every((point) => barOf(kind, point) === 0);
  return (
    <div className={classes.root}>
      <ChartLegend points={points} kind={kind} />
      <div className={classes.canvas} aria-hidden={isEmpty ? undefined : true}>
        {isEmpty ? (
          <p className={classes.empty}>
            <Trans>Nothing was counted in this period.</Trans>
          </p>
        ) : (
          <ClientOnly>
            <Suspense>
              <ChartCanvas {...props} />
            </Suspense>
          </ClientOnly>
        )}
      </div>
      {!isEmpty && <ChartTable {...props} />}
    </div>
  );
}
