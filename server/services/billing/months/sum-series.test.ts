import { expect, it, vi } from 'vitest';
import { DAY_MS, HOUR_MS } from '#server/durations.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { countUsage, usageRow } from '#tests/support/usage/usage-batches.ts';
import { createSite } from '../../sites/create-site.ts';
import { sumSeriesAgain } from './sum-series.ts';

/** An organization, what it served in March as it is asked for again and again, and how often days are read. */
async function prepare() {
  const app = await createTestApp();
  const { context } = await createTestPerson(app);
  const { organization } = context;
  const site = await createSite(context, { name: 'blog' });
  const use = (requests: number, at?: number) =>
    countUsage(app, [usageRow(organization.id, { siteId: site.id }, { requests })], at);
  const reads = vi.spyOn(app.db, 'selectFrom');
  const march = { start: Date.UTC(2026, 2, 1), end: Date.UTC(2026, 3, 1) };
  const ask = async () => {
    reads.mockClear();
    const sums = await sumSeriesAgain(app.db, app, organization.id, march);
    const asked: unknown[] = reads.mock.calls.map(([table]) => table);
    return {
      requests: sums.map((sum) => sum.requests),
      reads: asked.filter((table) => table === 'usage_days').length,
    };
  };
  return { app, use, ask };
}

it('days that are over are read once, and today each time', async () => {
  const { app, use, ask } = await prepare();
  await use(10);
  app.clock.advance(DAY_MS);
  await use(5);
  expect(await ask()).toEqual({ requests: ['15'], reads: 2 });
  await use(1);
  expect(await ask()).toEqual({ requests: ['16'], reads: 1 });
  app.clock.advance(DAY_MS);
  await use(100);
  expect(await ask()).toEqual({ requests: ['116'], reads: 2 });
});

it('counts that arrive late for a day that is over are in the next sum', async () => {
  const { app, use, ask } = await prepare();
  await use(10);
  app.clock.advance(3 * DAY_MS);
  expect(await ask()).toEqual({ requests: ['10'], reads: 2 });
  await use(7, app.clock.now() - 2 * DAY_MS);
  expect(await ask()).toEqual({ requests: ['17'], reads: 2 });
  expect(await ask()).toEqual({ requests: ['17'], reads: 1 });
});

it('the first hour of a day reads the day before it each time', async () => {
  const { app, use, ask } = await prepare();
  await use(10);
  app.clock.advance(12 * HOUR_MS);
  await ask();
  await use(1);
  expect(await ask()).toEqual({ requests: ['11'], reads: 1 });
});
