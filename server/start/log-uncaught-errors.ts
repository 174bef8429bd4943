import type { BoundedLog } from '../logging/bounded-log.ts';

/** The message of an uncaught error; a test fails when its server has printed it. */
export const UNCAUGHT_MESSAGE = 'an uncaught error';

/**
 * The last line of defence: from here on an uncaught error is logged and counted, and the process continues.
 * Node's advice is to end the process, because such an error may leave things half done. Here one process
 * serves every site of an installation, and a stranger who finds one request that makes it throw could end it
 * as often as it is started. The damage is limited: requests share no state that outlives them, and what must
 * be complete is protected by a transaction or a rename. Nothing is hidden
 * (`portage_unexpected_errors_total{door="process"}` should be monitored, and the line has the stack), but no
 * stranger decides when all sites are down. Errors before the roles run still end the start.
 */
export function logUncaughtErrors(log: BoundedLog): void {
  process.on('uncaughtException', (error, origin) => {
    log.error({ err: error, origin }, UNCAUGHT_MESSAGE);
  });
}
