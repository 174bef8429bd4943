import type { OrganizationRange } from '../usage-range.ts';

/** Files shown at first, and once more are wanted. */
export const TOP_FILES = 10;
export const TOP_FILES_MAX = 100;

/** What the list of files asks for at first. */
export function topFilesInput(range: OrganizationRange, limit = TOP_FILES) {
  return { ...range, limit };
}
