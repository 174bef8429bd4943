import { HOUR_MS, WEEK_MS } from '#server/durations.ts';
/** No order older than this matters to a limit. */
export const ORDERS_REACH_MS = 3 * HOUR_MS;

/** An earlier request to an authority. */
export interface Attempt {
  /** Null for the platform's own names. */
  organization_id: string | null;
  domain_name: string;
  registered_domain: string;
  outcome: 'ordered' | 'issued' | 'failed';
  is_renewal: number;
  at: number;
}

/** A planned request. */
export interface Wish {
  organizationId: string | null;
  domainName: string;
  registeredDomain: string;
  isRenewal: boolean;
  /**
   * A renewal that the authority itself called for (ARI) counts only towards the limit of failed validations.
   */
  isCalledFor: boolean;
}

interface Limit {
  windowMs: number;
  /** A few less than the authority allows: others may use the same account or domain. */
  max: number;
  /**
   * The attempts that use up what this limit is a share of: one organization may not have more than is left
   * for the others.
   */
  sharedWith?: { max: number; counts(attempt: Attempt): boolean };
  counts(attempt: Attempt, wish: Wish): boolean;
  appliesTo(wish: Wish): boolean;
}

const ORDERS_MAX = 280;
const FIRST_ORDERS_MAX = 220;

const isOrder = ({ outcome }: Attempt) => outcome === 'ordered';
const always = () => true;
const unlessRenewal = ({ isRenewal }: Wish) => !isRenewal;
const unlessCalledFor = ({ isCalledFor }: Wish) => !isCalledFor;

/** For every authority: what an ACME server counts even when it publishes no numbers. */
const COMMON_LIMITS: readonly Limit[] = [
  // 5 failed validations per name and hour.
  {
    windowMs: HOUR_MS,
    max: 4,
    counts: ({ outcome, domain_name }, { domainName }) => outcome === 'failed' && domain_name === domainName,
    appliesTo: always,
  },
  // 300 orders per account in three hours.
  {
    windowMs: ORDERS_REACH_MS,
    max: ORDERS_MAX,
    counts: isOrder,
    appliesTo: unlessCalledFor,
  },
  // Some of those are kept for renewals: an expired certificate takes a website down, a new one can wait.
  {
    windowMs: ORDERS_REACH_MS,
    max: FIRST_ORDERS_MAX,
    counts: isOrder,
    appliesTo: unlessRenewal,
  },
  // One organization, which may have any number of names, cannot use up what all share; nor can many that
  // somebody fills with names whose validation fails: the more is used, the less each may have.
  {
    windowMs: ORDERS_REACH_MS,
    max: 80,
    sharedWith: { max: FIRST_ORDERS_MAX, counts: isOrder },
    counts: ({ outcome, is_renewal, organization_id }, { organizationId }) =>
      outcome === 'ordered' && is_renewal === 0 && organization_id === organizationId,
    appliesTo: ({ isRenewal, organizationId }) => !isRenewal && organizationId !== null,
  },
  {
    windowMs: ORDERS_REACH_MS,
    max: ORDERS_MAX,
    sharedWith: { max: ORDERS_MAX, counts: isOrder },
    counts: ({ outcome, organization_id }, { organizationId }) =>
      outcome === 'ordered' && organization_id === organizationId,
    appliesTo: ({ isCalledFor, organizationId }) => !isCalledFor && organizationId !== null,
  },
];

/** What Let's Encrypt publishes in addition. */
const LETS_ENCRYPT_LIMITS: readonly Limit[] = [
  // 50 certificates per registered domain and week; renewals are exempt.
  {
    windowMs: WEEK_MS,
    max: 47,
    counts: ({ outcome, is_renewal, registered_domain }, { registeredDomain }) =>
      outcome === 'issued' && is_renewal === 0 && registered_domain === registeredDomain,
    appliesTo: unlessRenewal,
  },
  // 5 certificates for exactly the same names per week.
  {
    windowMs: WEEK_MS,
    max: 4,
    counts: ({ outcome, domain_name }, { domainName }) => outcome === 'issued' && domain_name === domainName,
    appliesTo: unlessCalledFor,
  },
];

/** No attempt older than this matters to a limit. */
export const LIMITS_REACH_MS = WEEK_MS;

/**
 * Returns from when on the request is within the authority's limits: null when it already is.
 * @param authorityTitle the host of the ACME server; Let's Encrypt's own limits apply to it alone
 */
export function limitEndsAt(
  attempts: readonly Attempt[],
  wish: Wish,
  authorityTitle: string,
  now: number,
): number | null {
  const isLetsEncrypt = /(^|\.)letsencrypt\.org$/.test(authorityTitle) && !authorityTitle.includes('staging');
  const limits = isLetsEncrypt ? [...COMMON_LIMITS, ...LETS_ENCRYPT_LIMITS] : COMMON_LIMITS;
  const ends = limits
    .filter((limit) => limit.appliesTo(wish))
    .map((limit) => endOf(limit, attempts, wish, now))
    .filter((end) => end !== null);
  return ends.length === 0 ? null : Math.max(...ends);
}

/** A limit eases when the oldest of the last `max` attempts leaves its window. */
function endOf(limit: Limit, attempts: readonly Attempt[], wish: Wish, now: number): number | null {
  const recent = attempts.filter(({ at }) => at > now - limit.windowMs);
  const counted = recent
    .filter((attempt) => limit.counts(attempt, wish))
    .map(({ at }) => at)
    .sort((a, b) => a - b);
  const oldest = counted[counted.length - maxOf(limit, recent)];
  return oldest === undefined ? null : oldest + limit.windowMs;
}

function maxOf({ max, sharedWith }: Limit, recent: readonly Attempt[]): number {
  if (!sharedWith) return max;
  const left = sharedWith.max - recent.filter(sharedWith.counts).length;
  return Math.max(1, Math.min(max, left));
}
