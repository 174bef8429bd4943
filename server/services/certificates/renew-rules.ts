const HOUR_MS = 3_600_000;

/** When an authority that did not answer is asked for a renewal window again. */
export const ASK_AGAIN_AFTER_FAILURE_MS = 6 * HOUR_MS;
