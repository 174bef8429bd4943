import '../start/process-defaults.ts';
import { join } from 'node:path';
import { openProcess, startOrExit } from '../start/process-end.ts';
import { yieldToVisitors } from '../start/yield-to-visitors.ts';
import { refreshProgram } from './build-program.ts';

/** A process that builds the program before a start, if its sources have changed, and then ends. */
yieldToVisitors();
const { logger } = openProcess('start');
await startOrExit(logger, () => refreshProgram(join(import.meta.dirname, '..', '..'), logger));
