import type { BoundedLog } from '../logging/bounded-log.ts';

/** The message of an error that came past every door; a test server that has printed it fails its test. */
export const UNCAUGHT_MESSAGE = 'an error that nobody caught';

/**
 * The last line of defence: from here on an error that nobody caught is logged and counted, and the process goes on.
 *
 * Node's advice is to end, since nobody knows what such an error left half done. Here one process serves every site of an
 * installation, and whoever finds one request that makes it throw could end it again as often as it is started. What the error
 * interrupted is bounded: requests share no state that lives longer than they do, and what must be whole is whole in a
 * transaction or a rename. So nothing is hidden (`portage_unexpected_errors_total{door="process"}` is to be watched, and the
 * line has the stack), but no stranger decides when everybody's sites are away. Errors before the roles run still end the start.
 */
export function outlastErrors(log: BoundedLog): void {
  process.on('uncaughtException', (error, origin) => {
    log.error({ err: error, origin }, UNCAUGHT_MESSAGE);
  });
}
