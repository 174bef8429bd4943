import type { ChartKind } from './chart-series.ts';

/** The chart of an address; requests, which is what an address without one means, count as absent. */
export function chartParam(value: unknown): Exclude<ChartKind, 'requests'> | undefined {
  return value === 'bandwidth' || value === 'cache' ? value : undefined;
}
