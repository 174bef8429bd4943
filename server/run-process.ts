/**
 * Where a supervisor from before `start/` looks for the processes that it starts. It outlives an upgrade in place, so this file stays
 * until no such supervisor can be running: from one release after 0.1.0 on.
 */
import './start/run-process.ts';
