import type { UsagePoint } from '#server/services/usage/schema.ts';

/** What a chart of usage shows: requests by status class, bytes, or requests by cache. */
export const CHART_KINDS = ['requests', 'bandwidth', 'cache'] as const;
export type ChartKind = (typeof CHART_KINDS)[number];

type Counted = Exclude<keyof UsagePoint, 'date'>;

/** The parts of a bar, from bottom to top. */
export const CHART_SERIES = {
  requests: ['total_status_2xx', 'total_status_3xx', 'total_status_4xx', 'total_status_5xx'],
  bandwidth: ['total_bytes_sent'],
  cache: ['total_cache_hits', 'total_cache_misses'],
} as const satisfies Record<ChartKind, readonly Counted[]>;

export type ChartSeries = (typeof CHART_SERIES)[ChartKind][number];

/** How each part is distinguished: by a colour (usage-chart.module.css) and, alternately, hatching. */
export const SERIES_LOOK = {
  total_status_2xx: { color: 'var(--chart-first)', isHatched: false },
  total_status_3xx: { color: 'var(--chart-second)', isHatched: false },
  total_status_4xx: { color: 'var(--chart-third)', isHatched: true },
  total_status_5xx: { color: 'var(--chart-fourth)', isHatched: false },
  total_bytes_sent: { color: 'var(--chart-first)', isHatched: false },
  total_cache_hits: { color: 'var(--chart-first)', isHatched: false },
  total_cache_misses: { color: 'var(--chart-third)', isHatched: true },
} as const satisfies Record<ChartSeries, { color: string; isHatched: boolean }>;

/** Returns the sum of the parts of a bar. */
export function barOf(kind: ChartKind, point: UsagePoint): number {
  return CHART_SERIES[kind].reduce((sum, series) => sum + point[series], 0);
}
