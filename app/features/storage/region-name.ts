import { REGION } from '#server/services/storage/rules.ts';

/** Where each region is; a place name is the same in both languages. */
const PLACES: Record<string, string> = { [REGION]: 'Montréal' };

/** Returns a region as people read it, e.g. "qc-south-1 (Montréal)". */
export function regionName(region: string): string {
  const place = PLACES[region];
  return place ? `${region} (${place})` : region;
}
