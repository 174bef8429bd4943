import { expect, it, vi } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#server/durations.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { openStuckWork } from './open-stuck-work.ts';

const JOB = 'clean-up';

it('what failed is left alone for a while, by every process, and then retried', async () => {
  const app = await createTestApp();
  const nextAttemptAt = await (await openStuckWork(app, JOB)).fail('a', new Error('no'));
  const elsewhere = await openStuckWork(app, JOB);
  expect([elsewhere.isWaiting('a'), elsewhere.isWaiting('b')]).toEqual([true, false]);
  expect((await openStuckWork(app, 'another job')).isWaiting('a')).toBe(false);
  app.clock.advance(nextAttemptAt - app.clock.now());
  expect(elsewhere.isWaiting('a')).toBe(false);
});

it('what fails again waits twice as long, from a minute to six hours', async () => {
  const app = await createTestApp();
  const pauses: number[] = [];
  for (let attempt = 1; attempt <= 11; attempt += 1) {
    const nextAttemptAt = await (await openStuckWork(app, JOB)).fail('a', new Error('no'));
    pauses.push(nextAttemptAt - app.clock.now());
  }
  expect(pauses.slice(0, 3)).toEqual([MINUTE_MS, 2 * MINUTE_MS, 4 * MINUTE_MS]);
  expect(pauses.slice(-2)).toEqual([6 * HOUR_MS, 6 * HOUR_MS]);
});

it('what failed while the clock was days ahead does not wait until then', async () => {
  const app = await createTestApp();
  const stuck = await openStuckWork(app, JOB);
  await stuck.fail('a', new Error('no'));
  app.clock.advance(-4 * DAY_MS);
  expect(stuck.isWaiting('a')).toBe(false);
  await stuck.fail('a', new Error('no'));
  expect(stuck.isWaiting('a')).toBe(true);
});

it('what succeeds in the end is forgotten', async () => {
  const app = await createTestApp();
  await (await openStuckWork(app, JOB)).fail('a', new Error('no'));
  await (await openStuckWork(app, JOB)).succeed('a');
  expect((await openStuckWork(app, JOB)).isWaiting('a')).toBe(false);
  expect(await app.db.selectFrom('stuck_work').selectAll().execute()).toEqual([]);
});

it('a failure that goes on is logged when it is new, when its reason changes, and once a day', async () => {
  const app = await createTestApp();
  const log = vi.spyOn(app.logger, 'error').mockReturnValue(undefined);
  const fail = async (reason: string) => {
    const before = log.mock.calls.length;
    await (await openStuckWork(app, JOB)).fail('a', new Error(reason));
    return log.mock.calls.length - before;
  };
  expect([await fail('cut'), await fail('cut'), await fail('missing'), await fail('missing')]).toEqual([
    1, 0, 1, 0,
  ]);
  app.clock.advance(DAY_MS + 1);
  expect([await fail('missing'), await fail('missing')]).toEqual([1, 0]);
});

it('a failure during an outage is logged as a warning: it is no defect', async () => {
  const app = await createTestApp();
  const warn = vi.spyOn(app.logger, 'warn').mockReturnValue(undefined);
  const error = vi.spyOn(app.logger, 'error').mockReturnValue(undefined);
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  await (await openStuckWork(app, JOB)).fail('', refused);
  expect([warn.mock.calls.length, error.mock.calls.length]).toEqual([1, 0]);
});
