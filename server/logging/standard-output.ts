import { destination } from 'pino';

/** What is kept of the lines that a full disk does not take, and written once it does. */
const WAITING_BYTES_MAX = 1024 ** 2;

/** Where log lines go. */
export type StandardOutput = ReturnType<typeof destination>;

/**
 * Returns the standard output for log lines. It never throws and emits no error that ends a process: what cannot be
 * written, as on a full disk or without a reader, is lost. There is nowhere else to report it, and reporting it as an
 * uncaught error would write, and fail, again and again.
 */
export function standardOutput(): StandardOutput {
  const lines = destination({ dest: 1, sync: true, maxLength: WAITING_BYTES_MAX });
  lines.on('error', () => undefined);
  return lines;
}
