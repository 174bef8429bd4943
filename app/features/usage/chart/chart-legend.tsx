import type { UsagePoint } from '#server/services/usage/schema.ts';
import { CHART_SERIES, type ChartKind, type ChartSeries, SERIES_LOOK } from './chart-series.ts';
import classes from './usage-chart.module.css';
import { useChartWords } from './use-chart-words.ts';

/** What the parts of the bars are, in order, each with its total. */
export function ChartLegend({ points, kind }: { points: readonly UsagePoint[]; kind: ChartKind }) {
  const { seriesNames, formatFull } = useChartWords(kind);
  return (
    <ul className={classes.legend}>
      {CHART_SERIES[kind].map((series) => (
        <li key={series}>
          <ChartSwatch series={series} />
          {seriesNames[series]}
          <strong>{formatFull(points.reduce((sum, point) => sum + point[series], 0))}</strong>
        </li>
      ))}
    </ul>
  );
}

/** A swatch of a part of the bars. */
export function ChartSwatch({ series }: { series: ChartSeries }) {
  const { color, isHatched } = SERIES_LOOK[series];
  return (
    <span className={classes.swatch} data-hatched={isHatched || undefined} style={{ color }} aria-hidden />
  );
}
