import type { App } from '../context.ts';
import { watchRole } from '../health/check-roles.ts';
import { runJobs } from '../jobs/run-jobs.ts';
import { watchClock } from '../jobs/watch-clock.ts';
import { showJobFigures } from '../metrics/job-metrics.ts';
import { ensurePlatformBundle } from '../services/certificates/platform-bundle.ts';
import type { RunningRole } from './running-role.ts';

/** Starts the recurring work: clean-up, inspection of records, certificates, roll-ups and invoices. */
export async function startJobs(app: App): Promise<RunningRole> {
  await ensurePlatformBundle(app);
  const jobs = runJobs(app, undefined, { onRun: showJobFigures(app.metrics) });
  watchRole(app, 'jobs', () => jobs.isTurning());
  const watching = watchClock(app);
  return { address: null, stop: async () => void (await Promise.all([jobs.stop(), watching.stop()])) };
}
