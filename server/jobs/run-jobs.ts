import type { App, RequestContext } from '../context.ts';
import { newId } from '../ids.ts';
import { releaseLease } from '../services/leases/release-lease.ts';
import { takeLease } from '../services/leases/take-lease.ts';
import { JOBS, type Job } from './job-table.ts';
import { type Repetition, repeat } from './repeat.ts';

/** A lease outlives its job's interval, so that the node that ran it last runs it next unless it is gone. */
const LEASE_MARGIN_MS = 30_000;
const RENEW_EVERY_MS = 20_000;
/** Jobs begin soon after the start, but not in the middle of it. */
const FIRST_AFTER_MS = 5_000;

/** Starts the jobs of this process. `stop` tells those under way, waits for them and hands their leases back. */
export function runJobs(app: App, jobs: readonly Job[] = JOBS): { stop(): Promise<void> } {
  const holder = newId();
  const stopping = new AbortController();
  const repetitions = jobs.map((job): Repetition => {
    const fail = (error: unknown) => app.logger.error({ err: error, job: job.name }, 'a job failed');
    return repeat(
      job.everyMs,
      () => runUnderLease(app, job, holder, stopping.signal),
      fail,
      job.firstAfterMs ?? Math.min(job.everyMs, FIRST_AFTER_MS),
    );
  });
  return {
    async stop() {
      stopping.abort();
      await Promise.all(repetitions.map((repetition) => repetition.stop()));
      for (const job of jobs) {
        await releaseLease(app, job.name, holder).catch((error: unknown) =>
          app.logger.warn({ err: error, job: job.name }, 'a lease could not be handed back'),
        );
      }
    },
  };
}

/** Runs a job when this node holds its lease, renewing it while the job runs. */
async function runUnderLease(app: App, job: Job, holder: string, stopping: AbortSignal): Promise<void> {
  const take = () => takeLease(app, job.name, holder, job.everyMs + LEASE_MARGIN_MS);
  if (!(await take())) return;
  const renewing = repeat(
    RENEW_EVERY_MS,
    async () => void (await take()),
    (error) => app.logger.warn({ err: error, job: job.name }, 'a lease could not be renewed'),
  );
  try {
    const context: RequestContext = {
      app,
      actor: { kind: 'job', name: job.name },
      requestId: newId(),
      address: '',
    };
    const result = await job.run(context, stopping);
    app.logger.debug({ job: job.name, result }, 'a job ended');
  } finally {
    await renewing.stop();
  }
}
