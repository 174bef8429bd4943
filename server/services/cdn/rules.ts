import { DAY_MS, HOUR_MS } from '#server/durations.ts';
/** Longest hostname that may be typed; its normalized form has at most 253 characters. */
export const HOSTNAME_TYPED_MAX = 300;
export const REDIRECT_TARGET_MAX = 2048;

/** How long browsers remember to use https only. */
export const HSTS_CHOICES = ['off', 'day', 'year'] as const;
export type HstsChoice = (typeof HSTS_CHOICES)[number];

/** Seconds of each choice, for `Strict-Transport-Security`. */
export const HSTS_SECONDS: Record<HstsChoice, number> = { off: 0, day: 86_400, year: 31_536_000 };

/**
 * How long a hostname stays with an endpoint that has never proven it: long enough to reach the person who
 * manages the domain's records. Then it gives way, so that a claim without proof does not lock out the true
 * owner forever.
 */
export const UNPROVEN_CLAIM_MS = 7 * DAY_MS;

/**
 * How long a proven hostname stays when none of its records lead here any more: a domain that was sold or has
 * lapsed becomes available to its current owner.
 */
export const LOST_CLAIM_MS = 14 * DAY_MS;

/** Hostnames that one organization may claim before it has proven some of them. */
export const UNPROVEN_ENDPOINTS_MAX = 100;

/**
 * How long a removed hostname is reserved for its organization: its records still point here until they are
 * removed, and a mistaken removal is noticed within a weekend.
 */
export const HOSTNAME_RESERVED_MS = 3 * DAY_MS;

/**
 * How long the records of a removed hostname that is not reserved (any more) are kept for its organization, unless someone
 * else claims it: who undoes a removal may have set them meanwhile.
 */
export const RECORDS_KEPT_MS = HOUR_MS;
