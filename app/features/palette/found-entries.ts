import type { PaletteEntry } from './palette-entry.ts';

/** How many of each are available without a request, for typos and abbreviations. */
export const AT_HAND = 50;

/** Entries for what an organization has. */
export interface FoundEntries {
  entries: PaletteEntry[];
  /** Whether they could not be searched. */
  hasFailed: boolean;
}
