const MINUTE_MS = 60_000;

/** How old memberships of an external issuer may be when somebody acts by them. */
export const STALE_MS = 15 * MINUTE_MS;
/** After an attempt that brought nothing, the next one. */
export const RETRY_MS = MINUTE_MS;

/** When a person's memberships were last known, and last asked for. */
export interface MembershipTimes {
  syncedAt: number | null;
  attemptedAt: number | null;
}

/** Whether it is time to ask the issuer again. */
export function isMembershipRefreshDue({ syncedAt, attemptedAt }: MembershipTimes, now: number): boolean {
  const isStale = syncedAt === null || now - syncedAt >= STALE_MS;
  return isStale && (attemptedAt === null || now - attemptedAt >= RETRY_MS);
}
