/** Longest hostname that may be typed; what it becomes has at most 253 characters. */
export const HOSTNAME_TYPED_MAX = 300;
export const REDIRECT_TARGET_MAX = 2048;

/** How long browsers remember to use https only. */
export const HSTS_CHOICES = ['off', 'day', 'year'] as const;
export type HstsChoice = (typeof HSTS_CHOICES)[number];

/** Seconds of each choice, for `Strict-Transport-Security`. */
export const HSTS_SECONDS: Record<HstsChoice, number> = { off: 0, day: 86_400, year: 31_536_000 };
