import { DAY_MS } from '#server/durations.ts';

/** How often all stored content is read again. */
export const SCRUB_EVERY_MS = 7 * DAY_MS;
/** How much a run reads. There is one per minute: 360 GiB a day. */
export const SCRUB_BYTES_A_RUN = 256 * 1024 ** 2;
/** More damage than this at once means a missing store rather than damaged content; what is listed already is still read again. */
export const DAMAGED_MAX = 1_000;
