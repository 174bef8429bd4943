/**
 * Everything that an organization could create without end, and which is therefore limited. The order is that
 * of the screen.
 */
export const LIMIT_NAMES = [
  'sites',
  'versions',
  'open_versions',
  'stored_files',
  'stored_bytes',
  'endpoints',
  'buckets',
  'bucket_bytes',
  'bucket_objects',
  'credentials',
  'members',
  'invitations',
] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

/** Sums maintained by triggers; everything else is counted, which takes no more steps than its limit. */
export const TOTALLED = [
  'versions',
  'open_versions',
  'stored_files',
  'stored_bytes',
] as const satisfies LimitName[];
export type TotalName = (typeof TOTALLED)[number];

export function isTotalled(name: LimitName): name is TotalName {
  return TOTALLED.some((totalled) => totalled === name);
}

/** From this share on people are warned, while there is still time to act. */
const NEAR_SHARE = 0.8;

export type LimitState = 'far' | 'near' | 'reached';

/** Whether a limit is close or reached. */
export function limitState({ used, limit }: { used: number; limit: number }): LimitState {
  if (used >= limit) return 'reached';
  return used >= limit * NEAR_SHARE ? 'near' : 'far';
}
