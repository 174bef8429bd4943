import '@mantine/charts/styles.css';
import { useLingui } from '@lingui/react/macro';
import { BarChart } from '@mantine/charts';
import { useId } from 'react';
import type { UsagePoint } from '#server/services/usage/schema.ts';
import { formatTick, type Granularity } from './chart-dates.ts';
import { barOf, CHART_SERIES, type ChartKind, SERIES_LOOK } from './chart-series.ts';
import { chartTicks } from './chart-ticks.ts';
import { ChartTooltip } from './chart-tooltip.tsx';
import classes from './usage-chart.module.css';
import { useChartWords } from './use-chart-words.ts';

const TICK_GAP = 14;
const BAR_WIDTH_MAX = 36;
/**
 * An axis has room for typical numbers, so that charts next to each other are aligned, and grows for longer
 * ones.
 */
const AXIS_WIDTH: Record<ChartKind, number> = { requests: 48, bandwidth: 64, cache: 48 };
const DIGIT_WIDTH = 7;
const AXIS_GAP = 14;

/** The graphic of a chart: fills its box, and is hidden from assistive technology. */
export default function ChartCanvas(props: {
  points: readonly UsagePoint[];
  granularity: Granularity;
  kind: ChartKind;
}) {
  const { points, granularity, kind } = props;
  const { i18n } = useLingui();
  const { formatShort } = useChartWords(kind);
  const hatching = useId();
  const highest = points.reduce((most, point) => Math.max(most, barOf(kind, point)), 0);
  const ticks = chartTicks(highest, kind === 'bandwidth' ? 'bytes' : 'count');
  const top = ticks.at(-1) ?? 1;
  const labelOf = (tick: number) => formatShort(tick, top);
  const longest = Math.max(...ticks.map((tick) => labelOf(tick).length));
  const patternOf = (series: string) => `${hatching}${series}`;
  return (
    <BarChart
      className={classes.chart}
      h="100%"
      data={[...points]}
      dataKey="date"
      type="stacked"
      series={CHART_SERIES[kind].map((name) => ({ name, color: SERIES_LOOK[name].color }))}
      accessibilityLayer={false}
      tickLine="none"
      strokeDasharray="0"
      maxBarWidth={BAR_WIDTH_MAX}
      barProps={({ name }) => {
        const look = Object.entries(SERIES_LOOK).find(([series]) => series === name)?.[1];
        return {
          isAnimationActive: false,
          stroke: 'var(--surface)',
          strokeOpacity: 1,
          strokeWidth: 1,
          ...(look?.isHatched && { fill: `url(#${patternOf(name)})` }),
        };
      }}
      barChartProps={{ barCategoryGap: '18%', margin: { top: 8, right: 8, bottom: 0, left: 0 } }}
      xAxisProps={{
        tickFormatter: (date: string) => formatTick(date, granularity, i18n.locale),
        interval: 'equidistantPreserveStart',
        minTickGap: TICK_GAP,
      }}
      yAxisProps={{
        ticks,
        domain: [0, top],
        tickFormatter: labelOf,
        width: Math.max(AXIS_WIDTH[kind], longest * DIGIT_WIDTH + AXIS_GAP),
      }}
      tooltipProps={{
        position: undefined,
        content: ({ payload }) => (
          <ChartTooltip point={payload?.[0]?.payload} granularity={granularity} kind={kind} />
        ),
      }}
    >
      <defs>
        {CHART_SERIES[kind]
          .filter((name) => SERIES_LOOK[name].isHatched)
          .map((name) => (
            <pattern
              key={name}
              id={patternOf(name)}
              width={6}
              height={6}
              patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)"
            >
              <rect width={6} height={6} fill={SERIES_LOOK[name].color} />
              <rect width={1.5} height={6} fill="var(--surface)" />
            </pattern>
          ))}
      </defs>
    </BarChart>
  );
}
