import type { OrganizationRange } from '../usage-range.ts';

/** Files shown at first, and added each time more are requested. */
export const TOP_FILES = 10;
export const TOP_FILES_MAX = 100;

/** The initial query for the list of files. */
export function topFilesInput(range: OrganizationRange, limit = TOP_FILES) {
  return { ...range, limit };
}
