import { keepPreviousData } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { trpc } from '../../trpc.ts';
import { needsAll, type OrganizationRange, overviewInput } from './usage-range.ts';

/** How often numbers that still grow are read again while the page is visible. */
export const GROWING_MS = 20_000;

/** Returns how long to wait before a range is read again; false when it is over. */
export function pauseOf(range: { end_date: string } | undefined, growing: number): number | false {
  const today = new Date().toISOString().slice(0, 10);
  return range && range.end_date >= today ? growing : false;
}

/**
 * Returns a range's summary, with the rows that `view` needs, and what loads the others. The previous one stays while
 * another is loading; a range that includes today is refreshed.
 */
export function useUsageOverview(range: OrganizationRange, view: Parameters<typeof needsAll>[0]) {
  const [allOf, setAllOf] = useState<string | null>(null);
  const name = JSON.stringify(range);
  const hasAll = needsAll(view) || allOf === name;
  const overview = trpc.usage.overview.useQuery(overviewInput(range, hasAll), {
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => pauseOf(state.data, GROWING_MS),
  });
  const shown = useRef(name);
  if (!overview.isPlaceholderData) shown.current = name;
  return {
    overview,
    /** Whether the numbers are those of another range. */
    isStale: overview.isPlaceholderData && shown.current !== name,
    loadAll: () => setAllOf(name),
    isLoadingAll: hasAll && overview.isPlaceholderData,
  };
}
