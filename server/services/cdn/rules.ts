/** Longest hostname that may be typed; what it becomes has at most 253 characters. */
export const HOSTNAME_TYPED_MAX = 300;
export const REDIRECT_TARGET_MAX = 2048;

/** How long browsers remember to use https only. */
export const HSTS_CHOICES = ['off', 'day', 'year'] as const;
export type HstsChoice = (typeof HSTS_CHOICES)[number];

/** Seconds of each choice, for `Strict-Transport-Security`. */
export const HSTS_SECONDS: Record<HstsChoice, number> = { off: 0, day: 86_400, year: 31_536_000 };

const DAY_MS = 86_400_000;

/**
 * How long a hostname stays with an endpoint that has never proven it: long enough to reach whoever keeps the domain's
 * records, and then it gives way, so that a claim without proof does not keep the true owner out for ever.
 */
export const UNPROVEN_CLAIM_MS = 7 * DAY_MS;

/**
 * How long a proven hostname stays when none of its records lead here any more: a domain that was sold or has lapsed is not
 * kept from whoever has it now.
 */
export const LOST_CLAIM_MS = 14 * DAY_MS;

/** Hostnames that one organization may claim before it has proven some of them. */
export const UNPROVEN_ENDPOINTS_MAX = 100;

/**
 * How long a removed hostname is kept for its organization: its records still point here until somebody removes them, and a
 * mistaken removal is found out within a weekend.
 */
export const HOSTNAME_REST_MS = 3 * DAY_MS;
