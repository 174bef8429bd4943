import type { PaletteEntry } from '../palette-entry.ts';

/** How many of each are available without a request, for typos and abbreviations. */
export const AT_HAND = 50;

/** Entries for what an organization has. */
export interface FoundEntries {
  entries: PaletteEntry[];
  /** Whether they could not be searched. */
  hasFailed: boolean;
  isFetching: boolean;
}

/** A page of a list that is being searched, as the query library describes it. */
interface FoundPage<T> {
  data?: { items: T[] } | undefined;
  isFetching: boolean;
  isError: boolean;
}

/** Returns the loaded items and those that the server finds, each once. */
export function foundOnce<T extends { id: string }>(
  nearest: FoundPage<T>,
  searched: FoundPage<T>,
): { found: T[]; isFetching: boolean; hasFailed: boolean } {
  const all = [...(nearest.data?.items ?? []), ...(searched.data?.items ?? [])];
  return {
    found: [...new Map(all.map((each) => [each.id, each])).values()],
    isFetching: nearest.isFetching || searched.isFetching,
    hasFailed: nearest.isError || searched.isError,
  };
}
