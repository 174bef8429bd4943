import { MINUTE_MS } from '#server/durations.ts';

/** How old memberships of an external issuer may be when a person acts with them. */
export const STALE_MS = 15 * MINUTE_MS;
/** The pause after a failed attempt. */
export const RETRY_MS = MINUTE_MS;

/** When a person's memberships were last known, and last requested. */
export interface MembershipTimes {
  syncedAt: number | null;
  attemptedAt: number | null;
}

/** Whether it is time to ask the issuer again. An instant in the future is from a clock that was ahead. */
export function isMembershipRefreshDue({ syncedAt, attemptedAt }: MembershipTimes, now: number): boolean {
  const isStale = syncedAt === null || Math.abs(now - syncedAt) >= STALE_MS;
  return isStale && (attemptedAt === null || Math.abs(now - attemptedAt) >= RETRY_MS);
}
