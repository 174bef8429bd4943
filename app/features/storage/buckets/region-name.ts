import { REGION } from '#server/services/storage/rules.ts';

/** The place of each region; a place name is the same in both languages. */
const PLACES: Record<string, string> = { [REGION]: 'Montréal' };

/** Returns a region as shown to people, e.g. "qc-south-1 (Montréal)". */
export function regionName(region: string): string {
  const place = PLACES[region];
  return place ? `${region} (${place})` : region;
}
