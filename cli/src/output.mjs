/**
 * Prints results to standard output, for people or, with `--json`, for machines: then exactly one JSON value.
 */
export class Output {
  /** @param {boolean} isJson */
  constructor(isJson) {
    this.isJson = isJson;
  }

  /**
   * @param {unknown} value for machines
   * @param {string} text for people
   */
  result(value, text) {
    process.stdout.write(this.isJson ? `${JSON.stringify(value, null, 2)}\n` : `${text}\n`);
  }

  /** @param {string} text */
  text(text) {
    process.stdout.write(text);
  }

  /** @param {import('./cli-error.mjs').CliError} error */
  error(error) {
    const { message, exitCode, code, requestId, status } = error;
    if (this.isJson) {
      const shape = { message, code: code ?? null, status: status ?? null, request_id: requestId ?? null };
      process.stdout.write(`${JSON.stringify({ error: { ...shape, exit_code: exitCode } }, null, 2)}\n`);
      return;
    }
    const reference = requestId && exitCode === 1 ? ` (request ${requestId})` : '';
    this.complain(`${message.trimEnd()}${reference}`);
  }

  /** @param {string} message for people, whatever the form of results */
  complain(message) {
    process.stderr.write(`${withoutControls(message)}\n`);
  }
}

/**
 * Returns a message that quotes what was typed or what a server answered, without what could control a terminal.
 * @param {string} message
 */
function withoutControls(message) {
  return message.replace(/(?!\n)[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}
