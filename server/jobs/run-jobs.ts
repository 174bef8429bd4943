import { setTimeout as sleep } from 'node:timers/promises';
import type { App, RequestContext } from '../context.ts';
import { newId } from '../ids.ts';
import { FULL_MESSAGE, isDatabaseFull, logOutage } from '../logging/log-outage.ts';
import type { JobResult, OnJobRun } from '../metrics/job-metrics.ts';
import { isOutage } from '../outage.ts';
import { isClockTrusted } from '../services/clock/is-clock-trusted.ts';
import { openStuckWork } from '../services/stuck-work/open-stuck-work.ts';
import { createJobLease, type JobLease, LEASE_TRUSTED_MS } from './job-lease.ts';
import { JOBS, type Job } from './job-table.ts';
import { type Repetition, repeat } from './repeat.ts';

/** Jobs begin soon after the start, but not during it. */
const FIRST_AFTER_MS = 5_000;
/** After this long, a run is asked to end; the next one continues where it stopped. */
const RUN_MAX_MS = 30 * 60_000;
/**
 * A run that has not ended by then, although asked to, hangs: it is abandoned so that the job can run again.
 */
const END_WITHIN_MS = 2 * 60_000;
/** Some job is due every few seconds: when none has been for this long, none will be. */
const TURNING_WITHIN_MS = 5 * 60_000;
/**
 * How long a stop waits for runs to end, within what the process has for its stop. A run may be waiting for a service
 * that does not answer; it is continued after the next start, as after a crash.
 */
const STOP_WITHIN_MS = 20_000;
/** For how long a look at the clock is relied on. */
const CLOCK_TRUSTED_MS = 30_000;
/** A clock is set by more than this only when it was wrong. */
const CLOCK_JUMP_MS = 60_000;
/** The key under which the failure of a whole run is stored. */
const WHOLE_RUN = '';

interface JobOptions {
  /** Tests shorten these. */
  bounds?: { runMs: number; endMs: number; leaseTrustedMs?: number; stopMs?: number };
  onRun?: OnJobRun;
}

interface RunParts extends Required<JobOptions> {
  lease: JobLease;
  stopping: AbortSignal;
  mayTrustClock: () => Promise<boolean>;
}

export interface RunningJobs {
  /** Whether any job has been due lately, here or under the lease of another node. */
  isTurning(): boolean;
  stop(): Promise<void>;
}

/**
 * Starts the jobs of this process. `stop` signals current runs, waits for them, but not longer than a stop may take, and
 * hands the leases of those that have ended back.
 */
export function runJobs(
  app: App,
  jobs: readonly Job[] = JOBS.filter((job) => job.isFor?.(app.config) ?? true),
  { bounds = { runMs: RUN_MAX_MS, endMs: END_WITHIN_MS }, onRun = () => undefined }: JobOptions = {},
): RunningJobs {
  const holder = newId();
  let turnedAt = performance.now();
  const stopping = new AbortController();
  const mayTrustClock = sharedTrust(app);
  const running = jobs.map((job): { name: string; lease: JobLease; repetition: Repetition } => {
    const lease = createJobLease(app, job, holder, bounds.leaseTrustedMs);
    const fail = (error: unknown) => {
      if (isOutage(error)) logOutage(app.logger, 'warn', { err: error, job: job.name });
      else logOutage(app.logger, 'error', { err: error, job: job.name }, messageOf(error));
    };
    const repetition = repeat(
      job.everyMs,
      async () => {
        turnedAt = performance.now();
        if (job.trustsClock && !(await mayTrustClock())) return;
        await runUnderLease(app, job, { lease, stopping: stopping.signal, mayTrustClock, bounds, onRun });
      },
      fail,
      job.firstAfterMs ?? Math.min(job.everyMs, FIRST_AFTER_MS),
    );
    return { name: job.name, lease, repetition };
  });
  return {
    isTurning: () => performance.now() - turnedAt < TURNING_WITHIN_MS,
    async stop() {
      stopping.abort();
      const ended = new Set<JobLease>();
      const ending = running.map(({ lease, repetition }) => repetition.stop().then(() => ended.add(lease)));
      const isOver = new AbortController();
      const late = sleep(bounds.stopMs ?? STOP_WITHIN_MS, null, { signal: isOver.signal }).catch(() => null);
      await Promise.race([Promise.all(ending), late]);
      isOver.abort();
      for (const { lease, name } of running) {
        if (ended.has(lease)) await lease.handBack();
        else
          app.logger.warn({ job: name }, 'a job was still running at the stop; the next start continues it');
      }
    },
  };
}

/**
 * Returns the question whether the clock is trusted, asked once for all jobs within a time, and again when the clock
 * has jumped meanwhile. One that fails is asked again.
 */
function sharedTrust(app: App): () => Promise<boolean> {
  let latest: { answer: Promise<boolean>; at: number; clockAt: number } | null = null;
  return () => {
    const [at, clockAt] = [performance.now(), app.clock.now()];
    if (latest) {
      const passedMs = at - latest.at;
      const hasJumped = Math.abs(clockAt - latest.clockAt - passedMs) > CLOCK_JUMP_MS;
      if (passedMs < CLOCK_TRUSTED_MS && !hasJumped) return latest.answer;
    }
    const asked = { answer: isClockTrusted(app), at, clockAt };
    latest = asked;
    asked.answer.catch(() => {
      if (latest === asked) latest = null;
    });
    return asked.answer;
  };
}

/**
 * Runs a job when this node holds its lease, renewing it while the job runs. A run whose lease another node
 * has taken is asked to end. The reason of a failure is kept until a run succeeds.
 */
async function runUnderLease(
  app: App,
  job: Job,
  { lease, stopping, mayTrustClock, bounds, onRun }: RunParts,
): Promise<void> {
  if (!(await lease.take())) return;
  const lost = new AbortController();
  const renewing = repeat(
    bounds.leaseTrustedMs ?? LEASE_TRUSTED_MS,
    async () => {
      if (lost.signal.aborted || (await lease.take())) return;
      // This process was suspended, or cut off from the database, for longer than a lease lasts.
      lost.abort();
      app.logger.warn({ job: job.name }, 'another node has taken the lease of a job that runs here');
    },
    (error) => app.logger.warn({ err: error, job: job.name }, 'a lease could not be renewed'),
  );
  let isGivenUp = false;
  const startedAt = performance.now();
  const tell = (result: JobResult) => onRun(job.name, result, (performance.now() - startedAt) / 1000);
  try {
    const context: RequestContext = {
      app,
      actor: { kind: 'job', name: job.name },
      requestId: newId(),
      address: '',
    };
    const ending = AbortSignal.any([stopping, lost.signal]);
    const run = (until: AbortSignal) => job.run(context, until, mayTrustClock);
    const result = await runBounded(job.name, run, ending, bounds, () => {
      isGivenUp = true;
    });
    tell('done');
    app.logger.debug({ job: job.name, result }, 'a job ended');
    await (await openStuckWork(app, job.name)).succeed(WHOLE_RUN);
  } catch (error) {
    tell(isOutage(error) ? 'outage' : 'failed');
    await keepFailure(app, job, error);
    throw error;
  } finally {
    await renewing.stop();
    // There is no telling when it ends, and another node may have more luck.
    if (isGivenUp) await lease.handBack();
  }
}

function messageOf(failure: unknown): string {
  return isDatabaseFull(failure) ? FULL_MESSAGE : 'a job failed';
}

async function keepFailure(app: App, job: Job, error: unknown): Promise<void> {
  try {
    await (await openStuckWork(app, job.name)).fail(WHOLE_RUN, error);
  } catch (failure) {
    logOutage(app.logger, 'warn', { err: failure, job: job.name }, 'why a job failed could not be kept');
  }
}

/**
 * Runs a job, asks it to end when the process stops or its time is up, and abandons it when it does not end.
 * @param onGivenUp called before rejecting because of a run that continues on its own
 */
async function runBounded(
  name: string,
  run: (ending: AbortSignal) => Promise<unknown>,
  stopping: AbortSignal,
  bounds: RunParts['bounds'],
  onGivenUp: () => void,
): Promise<unknown> {
  const isOver = new AbortController();
  const ending = AbortSignal.any([stopping, isOver.signal]);
  const settled = new AbortController();
  const running = run(ending);
  const patience = async () => {
    await sleep(bounds.runMs, null, { signal: settled.signal, ref: false });
    isOver.abort();
    await sleep(bounds.endMs, null, { signal: settled.signal, ref: false });
    onGivenUp();
    throw new Error(`The job ${name} does not end: it seems to wait for something that never happens.`);
  };
  try {
    return await Promise.race([running, patience()]);
  } finally {
    settled.abort();
  }
}
