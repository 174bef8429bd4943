import type { App } from '../context.ts';
import { logOutage } from '../logging/log-outage.ts';
import { releaseLease } from '../services/leases/release-lease.ts';
import { takeLease } from '../services/leases/take-lease.ts';
import type { Job } from './job-table.ts';

/**
 * A lease outlives its job's interval, so that the node that ran it last runs it next unless that node is
 * gone.
 */
const LEASE_MARGIN_MS = 30_000;
/**
 * A lease that was taken this recently is held without asking: jobs that run every second would otherwise
 * write to an idle database all the time. Far shorter than what a lease lasts.
 */
export const LEASE_TRUSTED_MS = 10_000;

/** The lease of a job for one holder. */
export interface JobLease {
  /** Takes or renews it, and returns whether it is held. */
  take(): Promise<boolean>;
  /** Releases it, so that another node need not wait for it to expire. A failure is logged. */
  handBack(): Promise<void>;
}

/** Returns the lease of a job for a holder, not taken yet. */
export function createJobLease(
  app: App,
  job: Pick<Job, 'name' | 'everyMs'>,
  holder: string,
  trustedMs = LEASE_TRUSTED_MS,
): JobLease {
  let takenAt = Number.NEGATIVE_INFINITY;
  return {
    async take() {
      const askedAt = performance.now();
      if (askedAt - takenAt < trustedMs) return true;
      const isHeld = await takeLease(app, job.name, holder, job.everyMs + LEASE_MARGIN_MS);
      takenAt = isHeld ? askedAt : Number.NEGATIVE_INFINITY;
      return isHeld;
    },
    async handBack() {
      takenAt = Number.NEGATIVE_INFINITY;
      await releaseLease(app, job.name, holder).catch((error: unknown) =>
        logOutage(app.logger, 'warn', { err: error, job: job.name }, 'a lease could not be released'),
      );
    },
  };
}
