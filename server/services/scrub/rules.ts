import { DAY_MS } from '#server/durations.ts';

/** Stored content is reread once in this time, */
export const SCRUB_EVERY_MS = 7 * DAY_MS;
/** and this much of it per run, of which there is one per minute: 360 GiB a day. */
export const SCRUB_BYTES_A_RUN = 256 * 1024 ** 2;
/** So much damage at once is rather a store that is not there; what is known is still read again. */
export const DAMAGED_MAX = 1_000;
