import { keepPreviousData } from '@tanstack/react-query';
import { trpc } from '../../trpc.ts';
import type { OrganizationRange } from './usage-range.ts';

/** How often numbers that still grow are read again while the page is visible. */
export const GROWING_MS = 20_000;

/** Returns how long to wait before a range is read again; false when it is over. */
export function pauseOf(range: { end_date: string } | undefined, growing: number): number | false {
  const today = new Date().toISOString().slice(0, 10);
  return range && range.end_date >= today ? growing : false;
}

/**
 * Returns a range's summary. The previous one stays while another is loading; a range that includes today is
 * refreshed.
 */
export function useUsageOverview(range: OrganizationRange) {
  return trpc.usage.overview.useQuery(range, {
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => pauseOf(state.data, GROWING_MS),
  });
}
