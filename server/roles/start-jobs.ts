import type { App } from '../context.ts';
import { runJobs } from '../jobs/run-jobs.ts';
import type { RunningRole } from '../main.ts';
import { ensurePlatformBundle } from '../services/certificates/platform-bundle.ts';

/** Starts the recurring work: clean-up, checks of records, certificates and, as they arrive, roll-ups and invoices. */
export async function startJobs(app: App): Promise<RunningRole> {
  await ensurePlatformBundle(app);
  const jobs = runJobs(app);
  return { address: null, stop: () => jobs.stop() };
}
