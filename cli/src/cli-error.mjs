/** The meaning of the process's exit code; scripts may rely on the numbers. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  authentication: 3,
  refused: 4,
  network: 5,
};

/** An error with a message for people and an exit code for scripts. */
export class CliError extends Error {
  /**
   * @param {number} exitCode one of {@link EXIT}, or a shell's for a signal
   * @param {string} message
   * @param {{ code?: string, requestId?: string, status?: number }} [details] from the server
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
 * Returns the message of anything thrown.
 * @param {unknown} error
 */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
