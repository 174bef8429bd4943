/** The same as `run-process.ts` beside it, for what a supervisor runs before it replaces its processes. */
import './start/prepare-start.ts';
