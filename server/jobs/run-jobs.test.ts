import { describe, expect, it, vi } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#server/durations.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { engine } from '#tests/support/runner/engine.ts';
import { JOBS, type Job } from './job-table.ts';
import { runJobs } from './run-jobs.ts';

/** A job that counts its runs and can be awaited. */
function countingJob(everyMs = 5) {
  const state = { runs: 0, running: 0, mostAtOnce: 0 };
  const waiters: { count: number; resolve: () => void }[] = [];
  const job: Job = {
    name: 'count',
    everyMs,
    async run() {
      state.running += 1;
      state.mostAtOnce = Math.max(state.mostAtOnce, state.running);
      await new Promise((resolve) => setImmediate(resolve));
      state.running -= 1;
      state.runs += 1;
      for (const waiter of waiters) if (state.runs >= waiter.count) waiter.resolve();
    },
  };
  const ran = (count: number) => new Promise<void>((resolve) => waiters.push({ count, resolve }));
  return { job, state, ran };
}

describe('jobs', () => {
  it('run repeatedly, on one node at a time, and not after the stop', async () => {
    const app = await createTestApp();
    const { job, state, ran } = countingJob();
    const nodes = [runJobs(app, [job]), runJobs(app, [job]), runJobs(app, [job])];
    await ran(5);
    await Promise.all(nodes.map((node) => node.stop()));
    const runs = state.runs;
    expect(state.mostAtOnce).toBe(1);
    expect(await app.db.selectFrom('leases').selectAll().execute()).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(state.runs).toBe(runs);
  });

  it('that run often do not write their lease each time: an idle database is left alone', async () => {
    const app = await createTestApp();
    const { job, ran } = countingJob();
    const jobs = runJobs(app, [job]);
    await ran(1);
    const readLease = () => app.db.selectFrom('leases').selectAll().executeTakeFirstOrThrow();
    const first = await readLease();
    await ran(5);
    expect(await readLease()).toEqual(first);
    await jobs.stop();
  });

  it('that delete or bill by the time wait while the clock may have gone ahead, and no other does', async () => {
    const app = await createTestApp();
    const seen = { seen_at: app.clock.now() - 120 * DAY_MS, doubted_until: null };
    await app.db
      .insertInto('installation_values')
      .values({ name: 'seen-clock', value: JSON.stringify(seen), created_at: 0 })
      .execute();
    const waiting = countingJob();
    const { job, ran } = countingJob();
    const jobs = runJobs(app, [
      { ...waiting.job, name: 'by the time', trustsClock: true },
      { ...job, name: 'by need' },
    ]);
    await ran(5);
    await jobs.stop();
    expect(waiting.state.runs).toBe(0);
  });

  it.runIf(engine === 'sqlite')('that bill by the time stop as soon as the clock jumps ahead', async () => {
    const app = await createTestApp();
    const billing = countingJob();
    const { job, ran } = countingJob();
    const jobs = runJobs(app, [
      { ...billing.job, name: 'by the time', trustsClock: true },
      { ...job, name: 'by need' },
    ]);
    await billing.ran(2);
    app.clock.advance(120 * DAY_MS);
    // One may have begun before.
    const runs = billing.state.runs + 1;
    await ran(15);
    await jobs.stop();
    expect(billing.state.runs).toBeLessThanOrEqual(runs);
  });

  it('that delete, bill or warn are known to do so by the time, and certificates are issued whatever the clock says', () => {
    const trusting = JOBS.filter(({ trustsClock }) => trustsClock).map(({ name }) => name);
    expect(trusting).toEqual(
      expect.arrayContaining([
        ...['purge-deleted-sites', 'close-billing-months', 'collect-payments'],
        ...['send-set-up-notices', 'warn-about-certificates'],
      ]),
    );
    expect(trusting).not.toContain('issue-certificates');
  });

  it('that wait for something that does not answer hold up no stop, and keep their lease until it expires', async () => {
    const app = await createTestApp();
    const begun = Promise.withResolvers<void>();
    const waiting: Job = {
      name: 'waiting',
      everyMs: 5,
      run() {
        begun.resolve();
        return new Promise(() => undefined);
      },
    };
    const { job, ran } = countingJob();
    const bounds = { runMs: MINUTE_MS, endMs: MINUTE_MS, stopMs: 50 };
    const jobs = runJobs(app, [waiting, job], { bounds });
    await Promise.all([begun.promise, ran(1)]);
    await jobs.stop();
    expect(await app.db.selectFrom('leases').select('name').execute()).toEqual([{ name: 'waiting' }]);
  });

  it('are known to have stopped turning after five minutes in which none was due', async () => {
    const app = await createTestApp();
    const jobs = runJobs(app, [{ ...countingJob().job, firstAfterMs: HOUR_MS }]);
    expect(jobs.isTurning()).toBe(true);
    const now = performance.now();
    const later = vi.spyOn(performance, 'now').mockReturnValue(now + 6 * MINUTE_MS);
    expect(jobs.isTurning()).toBe(false);
    later.mockRestore();
    await jobs.stop();
  });

  it('end a run whose lease another node has taken meanwhile', async () => {
    const app = await createTestApp();
    const begun = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const job: Job = {
      name: 'suspended',
      everyMs: 5,
      async run(_, ending) {
        begun.resolve();
        await new Promise((resolve) => ending.addEventListener('abort', resolve));
        ended.resolve();
      },
    };
    const jobs = runJobs(app, [job], { bounds: { runMs: MINUTE_MS, endMs: MINUTE_MS, leaseTrustedMs: 5 } });
    await begun.promise;
    const holder = 'another node';
    await app.db
      .updateTable('leases')
      .set({ holder, expires_at: Date.now() + MINUTE_MS })
      .execute();
    await ended.promise;
    await jobs.stop();
    expect(await app.db.selectFrom('leases').select('holder').execute()).toEqual([{ holder }]);
  });

  it('continue after a failure', async () => {
    const app = await createTestApp();
    const { job, ran } = countingJob();
    let failures = 0;
    const failing: Job = {
      ...job,
      run: async (...given) => {
        failures += 1;
        if (failures < 3) throw new Error('not yet');
        await job.run(...given);
      },
    };
    const jobs = runJobs(app, [failing]);
    await ran(1);
    await jobs.stop();
    expect(failures).toBeGreaterThanOrEqual(3);
  });

  it('the stop waits for a current run', async () => {
    const app = await createTestApp();
    let finish: () => void = () => undefined;
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    let isFinished = false;
    const job: Job = {
      name: 'slow',
      everyMs: 1,
      async run() {
        begin();
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        isFinished = true;
      },
    };
    const jobs = runJobs(app, [job]);
    await begun;
    const stopped = jobs.stop();
    finish();
    await stopped;
    expect(isFinished).toBe(true);
  });
});

describe('the stop of jobs', () => {
  it('tells the current run, so that it need not wait for others', async () => {
    const app = await createTestApp();
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const job: Job = {
      name: 'patient',
      everyMs: 1,
      run: (_, stopping) =>
        new Promise<void>((resolve) => {
          stopping.addEventListener('abort', () => resolve());
          begin();
        }),
    };
    const jobs = runJobs(app, [job]);
    await begun;
    await jobs.stop();
    expect(await app.db.selectFrom('leases').selectAll().execute()).toEqual([]);
  });
});

describe('a run that does not end', () => {
  /** A job whose first run waits for something that never happens. */
  function hangingJob() {
    const state = { runs: 0, wasAsked: false };
    let second: () => void = () => undefined;
    const ranAgain = new Promise<void>((resolve) => {
      second = resolve;
    });
    const job: Job = {
      name: 'hang',
      everyMs: 1,
      run: (_, stopping) => {
        state.runs += 1;
        if (state.runs > 1) {
          second();
          return Promise.resolve();
        }
        stopping.addEventListener('abort', () => {
          state.wasAsked = true;
        });
        return new Promise<void>(() => undefined);
      },
    };
    return { job, state, ranAgain };
  }

  it('is asked to end, then abandoned: the job runs again, and the others are not affected', async () => {
    const app = await createTestApp();
    const { job, state, ranAgain } = hangingJob();
    const other = countingJob();
    const jobs = runJobs(app, [job, other.job], { bounds: { runMs: 20, endMs: 20 } });
    await other.ran(3);
    await ranAgain;
    await jobs.stop();
    expect(state.wasAsked).toBe(true);
    expect(await app.db.selectFrom('leases').selectAll().execute()).toEqual([]);
  });

  it('is shown with its reason until a run succeeds', async () => {
    const app = await createTestApp();
    const { job } = hangingJob();
    const jobs = runJobs(app, [{ ...job, everyMs: 3_600_000, firstAfterMs: 1 }], {
      bounds: { runMs: 5, endMs: 5 },
    });
    const read = () => app.db.selectFrom('stuck_work').select(['job', 'item', 'error']).execute();
    const [row] = await pollUntil(read, (rows) => rows.length > 0);
    expect(row).toMatchObject({ job: 'hang', item: '' });
    expect(row?.error).toContain('does not end');
    await jobs.stop();
    const { job: sound, ran } = countingJob();
    const again = runJobs(app, [{ ...sound, name: 'hang' }]);
    await ran(2);
    await again.stop();
    expect(await read()).toEqual([]);
  });
});
