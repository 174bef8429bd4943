import type { ChartKind } from './chart-series.ts';

/** The chart in an address; requests, the default, counts as absent. */
export function chartParam(value: unknown): Exclude<ChartKind, 'requests'> | undefined {
  return value === 'bandwidth' || value === 'cache' ? value : undefined;
}
