import { DAY_MS } from '#server/durations.ts';

/** How long a response can be repeated. */
export const RESPONSE_KEPT_MS = DAY_MS;

/** After this long a request without a response counts as dead; if it had committed nothing, its key may be used again. */
export const CLAIM_TAKEN_OVER_MS = 15 * 60_000;

/**
 * The stored status of a request that has committed something and not responded yet (HTTP's 102 Processing). If its
 * process dies, nobody knows how much of it was done.
 */
export const STATUS_BEGUN = 102;

/** What the header may contain: visible ASCII, at most 255 characters. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
