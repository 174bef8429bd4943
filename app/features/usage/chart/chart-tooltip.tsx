import { useLingui } from '@lingui/react/macro';
import type { UsagePoint } from '#server/services/usage/schema.ts';
import { formatPoint, type Granularity } from './chart-dates.ts';
import { ChartSwatch } from './chart-legend.tsx';
import { barOf, CHART_SERIES, type ChartKind } from './chart-series.ts';
import classes from './usage-chart.module.css';
import { useChartWords } from './use-chart-words.ts';

/** The bar under the pointer: its day or hour, and every number in full. */
export function ChartTooltip(props: {
  point: UsagePoint | undefined;
  granularity: Granularity;
  kind: ChartKind;
}) {
  const { point, granularity, kind } = props;
  const { i18n } = useLingui();
  const { seriesNames, total, formatFull, formatExact } = useChartWords(kind);
  if (!point) return null;
  const series = CHART_SERIES[kind];
  const exact = formatExact(barOf(kind, point));
  return (
    <div className={classes.tooltip}>
      <p>{formatPoint(point.date, granularity, i18n.locale)} UTC</p>
      <dl>
        {series.toReversed().map((name) => (
          <div key={name}>
            <dt>
              <ChartSwatch series={name} />
              {seriesNames[name]}
            </dt>
            <dd>{formatFull(point[name])}</dd>
          </div>
        ))}
        {series.length > 1 && (
          <div>
            <dt>{total}</dt>
            <dd>{formatFull(barOf(kind, point))}</dd>
          </div>
        )}
      </dl>
      {exact !== null && <small>{exact}</small>}
    </div>
  );
}
