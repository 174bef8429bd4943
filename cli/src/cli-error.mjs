/** What the exit code of the process says; scripts may rely on the numbers. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  authentication: 3,
  refused: 4,
  network: 5,
};

/** An error with words for people and an exit code for scripts. */
export class CliError extends Error {
  /**
   * @param {number} exitCode one of {@link EXIT}
   * @param {string} message
   * @param {{ code?: string, requestId?: string, status?: number }} [details] what the server said
   */
  constructor(exitCode, message, details = {}) {
    super(message);
    this.name = 'CliError';
    this.exitCode = exitCode;
    this.code = details.code;
    this.requestId = details.requestId;
    this.status = details.status;
  }
}

/**
 * Returns the text of whatever was thrown.
 * @param {unknown} error
 */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
