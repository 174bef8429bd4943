import type { App } from '../context.ts';
import { runJobs } from '../jobs/run-jobs.ts';
import type { RunningRole } from '../main.ts';

/** Starts the recurring work: clean-up and, as they arrive, renewals, roll-ups and invoices. */
export async function startJobs(app: App): Promise<RunningRole> {
  const jobs = runJobs(app);
  return { address: null, stop: () => jobs.stop() };
}
