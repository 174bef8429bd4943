const LEAST_BYTES = 256 * 1024;
const MOST_BYTES = 8 * 1024 ** 2;
/** Long enough that round trips do not count, short enough that little is sent again after an interruption. */
const AIM_MS = 10_000;

/**
 * Decides how much one request sends: on a slow line less, so that a request ends before someone on the way loses patience.
 */
export class UploadPace {
  /** The most bytes of the next request; few before anything is known of the line. */
  bytesMax = LEAST_BYTES;

  /**
   * @param {number} bytes what a request has sent
   * @param {number} elapsedMs until its response, with everything that was tried again
   */
  record(bytes, elapsedMs) {
    const aimed = Math.round((bytes * AIM_MS) / Math.max(1, elapsedMs));
    this.bytesMax = Math.min(MOST_BYTES, Math.max(LEAST_BYTES, aimed));
  }
}
