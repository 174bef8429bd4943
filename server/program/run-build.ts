import '../start/process-defaults.ts';
import { join } from 'node:path';
import { openProcess, startOrExit } from '../start/process-end.ts';
import { yieldToVisitors } from '../start/yield-to-visitors.ts';
import { refreshProgram } from './build-program.ts';

/**
 * A process that builds the program before a start, if its sources have changed, and then ends. Signals to reload are for the
 * supervisor.
 */
for (const signal of ['SIGHUP', 'SIGUSR2'] as const) process.on(signal, () => undefined);
yieldToVisitors();
const { logger } = openProcess('start');
await startOrExit(logger, () => refreshProgram(join(import.meta.dirname, '..', '..'), logger));
