import { readdir } from 'node:fs/promises';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { batchesIn, requestsIn } from '#tests/support/server/edge-node.ts';
import {
  ANSWER,
  countedOf,
  FAST,
  newSeries,
  spoolFolder,
  startTestMetering,
} from '#tests/support/usage/metering-world.ts';
import { DAY_MS, HOUR_MS } from '../durations.ts';
import { applyUsageBatch } from '../services/usage/apply-usage-batch.ts';
import { hourOf } from '../services/usage/rules.ts';
import type { UsageBatch } from '../services/usage/schema.ts';
import { startMetering } from './start-metering.ts';

const away = () => Promise.reject(new Error('the database is away'));

describe('what was served', () => {
  it('is in the database soon, and leaves nothing on the disk', async () => {
    const app = await createTestApp();
    const folder = await spoolFolder();
    const metering = await startTestMetering(app, { folder });
    const series = newSeries();
    const meter = metering.meterOf(series);
    for (let count = 0; count < 10; count += 1) meter?.count(ANSWER, 100);
    meter?.add(ANSWER, 50);
    await pollUntil(
      () => countedOf(app.db, series.organizationId),
      ({ requests }) => requests === 10,
    );
    expect(await countedOf(app.db, series.organizationId)).toEqual({
      requests: 10,
      bytes: 1_050,
      hours: [[hourOf(app.clock.now()), 10]],
    });
    await metering.stop();
    expect(await readdir(folder)).toEqual(['node-id']);
  });

  it('of one series by several meters is one row, and a correction waits for what it corrects', async () => {
    const app = await createTestApp();
    const metering = await startTestMetering(app, { takeMs: 60_000, folder: await spoolFolder() });
    const series = newSeries();
    metering.meterOf(series)?.count(ANSWER, 100);
    metering.meterOf(series)?.count({ ...ANSWER, status: 404, isCacheHit: true }, 10);
    metering.meterOf(series)?.add(ANSWER, -30);
    metering.meterOf(newSeries())?.add(ANSWER, -5);
    await metering.stop();
    const rows = await app.db.selectFrom('usage_hours').selectAll().execute();
    expect(rows).toMatchObject([
      { requests: 2, bytes_sent: 80, cache_hits: 1, cache_misses: 1, status_2xx: 1, status_4xx: 1 },
    ]);
  });

  it('at the last moment is applied by a graceful stop, files included', async () => {
    const app = await createTestApp();
    const metering = await startTestMetering(app, { takeMs: 60_000, folder: await spoolFolder() });
    const series = newSeries();
    metering.meterOf(series)?.count({ ...ANSWER, path: '/film.mp4' }, 100);
    await metering.stop();
    expect(await countedOf(app.db, series.organizationId)).toMatchObject({ requests: 1, bytes: 100 });
    expect(await app.db.selectFrom('usage_paths').selectAll().execute()).toMatchObject([
      { path: '/film.mp4', requests: 1, bytes_sent: 100 },
    ]);
  });
});

describe('a database that is away', () => {
  it('costs one file per hour besides the one that was attempted, and no counts', async () => {
    const app = await createTestApp();
    const folder = await spoolFolder();
    let isAway = true;
    const apply = (batch: UsageBatch) => (isAway ? away() : applyUsageBatch(app, batch));
    const metering = await startTestMetering(app, { folder, apply });
    const series = newSeries();
    const meter = metering.meterOf(series);
    const begun = hourOf(app.clock.now());
    let served = 0;
    const serve = async (times: number) => {
      for (let time = 0; time < times; time += 1) {
        meter?.count(ANSWER, 1);
        served += 1;
        const all = served;
        await pollUntil(
          () => batchesIn(folder),
          (batches) => requestsIn(batches) === all,
        );
      }
    };
    await serve(4);
    app.clock.advance(HOUR_MS);
    await serve(4);
    app.clock.advance(HOUR_MS);
    await serve(4);
    expect(
      (await batchesIn(folder)).map(({ sequence, hour }) => [sequence, (hour - begun) / HOUR_MS]),
    ).toEqual([
      [1, 0],
      [2, 0],
      [3, 1],
      [4, 2],
    ]);
    expect(metering.backlog()).toMatchObject({ unwritten: 0, since: begun });
    isAway = false;
    await pollUntil(
      () => countedOf(app.db, series.organizationId),
      ({ requests }) => requests === served,
    );
    await pollUntil(
      async () => metering.backlog(),
      ({ batches }) => batches === 0,
    );
    expect(metering.backlog()).toEqual({ batches: 0, bytes: 0, unwritten: 0, since: null });
    expect(await batchesIn(folder)).toEqual([]);
  });

  it('is waited for across a restart: what a stop could not send is sent by the next run, once', async () => {
    const app = await createTestApp();
    const folder = await spoolFolder();
    const series = newSeries();
    const first = await startTestMetering(app, { folder, apply: away, stopMs: 100 });
    first.meterOf(series)?.count(ANSWER, 7);
    await first.stop();
    const [left] = await batchesIn(folder);
    // As if the crash had happened between the commit and the removal of the file.
    if (left) await applyUsageBatch(app, left);
    const second = await startTestMetering(app, { folder });
    second.meterOf(series)?.count(ANSWER, 7);
    await pollUntil(
      () => batchesIn(folder),
      (batches) => batches.length === 0,
    );
    await second.stop();
    expect(await countedOf(app.db, series.organizationId)).toMatchObject({ requests: 2, bytes: 14 });
    expect(await readdir(folder)).toEqual(['node-id']);
  });

  it('that never answers stops neither the counting nor the end of the process', async () => {
    const app = await createTestApp();
    const folder = await spoolFolder();
    const apply = () => new Promise(() => undefined);
    const metering = await startTestMetering(app, { folder, apply, stopMs: 50 });
    const meter = metering.meterOf(newSeries());
    for (let served = 1; served <= 5; served += 1) {
      meter?.count(ANSWER, 1);
      await pollUntil(
        () => batchesIn(folder),
        (batches) => requestsIn(batches) === served,
      );
    }
    await metering.stop();
    expect(requestsIn(await batchesIn(folder))).toBe(5);
  });

  it('that answers after the limit, and again, has counted once', async () => {
    const app = await createTestApp();
    const late: Promise<unknown>[] = [];
    let attempts = 0;
    // The first attempt commits, but its response comes too late.
    const apply = (batch: UsageBatch) => {
      attempts += 1;
      const done = applyUsageBatch(app, batch);
      late.push(done);
      return attempts === 1 ? done.then(() => new Promise(() => undefined)) : done;
    };
    const pace = { ...FAST.pace, attemptMs: 100 };
    const metering = await startTestMetering(app, { apply, pace, folder: await spoolFolder() });
    const series = newSeries();
    metering.meterOf(series)?.count(ANSWER, 1);
    await pollUntil(
      async () => late.length,
      (count) => count === 2,
    );
    expect(await Promise.all(late)).toEqual([true, false]);
    expect(await countedOf(app.db, series.organizationId)).toMatchObject({ requests: 1 });
  });
});

describe('the clock', () => {
  it('only labels hours: jumps over hours, days and months count nothing twice and lose nothing', async () => {
    const app = await createTestApp();
    const begun = hourOf(app.clock.now());
    const batches: UsageBatch[] = [];
    const apply = (batch: UsageBatch) => {
      batches.push(batch);
      return applyUsageBatch(app, batch);
    };
    const metering = await startTestMetering(app, { apply, folder: await spoolFolder() });
    const series = newSeries();
    const meter = metering.meterOf(series);
    const jumps = [0, HOUR_MS, -HOUR_MS, DAY_MS, -2 * DAY_MS, 40 * DAY_MS, -400 * DAY_MS, 1];
    let served = 0;
    for (const jump of jumps) {
      meter?.count(ANSWER, 3);
      served += 1;
      // Jumps while usage is being collected: it keeps the hour in which it began.
      app.clock.advance(jump);
      meter?.count(ANSWER, 3);
      served += 1;
      const all = served;
      await pollUntil(
        () => countedOf(app.db, series.organizationId),
        ({ requests }) => requests === all,
      );
    }
    const counted = await countedOf(app.db, series.organizationId);
    expect(counted.bytes).toBe(served * 3);
    expect(counted.hours.every(([hour]) => hour === hourOf(hour))).toBe(true);
    expect(counted.hours.map(([hour]) => hour)).toContain(begun);
    const sequences = batches.map(({ sequence }) => sequence);
    expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
  });
});

describe('what a batch contains', () => {
  it('that the database can never accept costs the files first, then the batch is quarantined, and the next one is sent', async () => {
    const app = await createTestApp();
    const folder = await spoolFolder();
    const seen: number[] = [];
    const refusal = Object.assign(new Error('a text cannot be stored'), { code: '22021' });
    const poisoned = newSeries();
    const apply = async (batch: UsageBatch) => {
      const [row] = batch.rows;
      seen.push(row?.paths.length ?? 0);
      if (row?.organization_id === poisoned.organizationId || row?.paths.length) throw refusal;
      return applyUsageBatch(app, batch);
    };
    const listed = newSeries();
    const run = async (series: typeof listed) => {
      const metering = await startTestMetering(app, { folder, apply, takeMs: 60_000 });
      metering.meterOf(series)?.count({ ...ANSWER, path: '/a' }, 1);
      await metering.stop();
    };
    await run(listed);
    expect(await countedOf(app.db, listed.organizationId)).toMatchObject({ requests: 1 });
    await run(poisoned);
    expect(seen).toEqual([1, 0, 1, 0]);
    expect((await readdir(folder)).filter((name) => name.endsWith('.json.bad'))).toHaveLength(1);
    await run(listed);
    expect(await countedOf(app.db, listed.organizationId)).toMatchObject({ requests: 2 });
  });

  it('that is not a number for one host is left out, and costs the others nothing', async () => {
    const app = { ...(await createTestApp()), metrics: new Registry() };
    const folder = await spoolFolder();
    const metering = await startMetering(app, { ...FAST, folder, takeMs: 60_000 });
    const sound = newSeries();
    metering.meterOf(sound)?.count(ANSWER, 1);
    for (const bytes of [0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      metering.meterOf(newSeries())?.count(ANSWER, bytes);
    }
    const quarantine = app.metrics.getSingleMetric('portage_usage_batches_quarantined');
    await metering.stop();
    expect((await quarantine?.get())?.values).toMatchObject([{ value: 3 }]);
    expect(await countedOf(app.db, sound.organizationId)).toMatchObject({ requests: 1 });
    expect(await app.db.selectFrom('usage_series').select('id').execute()).toHaveLength(1);
    expect(await readdir(folder)).toEqual(['node-id']);
  });
});

describe('the metrics of the process', () => {
  it('say what waits, for how long, and what has been applied', async () => {
    const app = { ...(await createTestApp()), metrics: new Registry() };
    let isAway = true;
    const apply = (batch: UsageBatch) => (isAway ? away() : applyUsageBatch(app, batch));
    const metering = await startMetering(app, { ...FAST, apply, folder: await spoolFolder() });
    try {
      metering.meterOf(newSeries())?.count(ANSWER, 1);
      const value = async (name: string) =>
        (await app.metrics.getSingleMetric(name)?.get())?.values[0]?.value;
      await pollUntil(
        () => value('portage_usage_attempts_failed_total'),
        (failed) => (failed ?? 0) > 0,
      );
      app.clock.advance(90_000);
      expect(await value('portage_usage_batches_waiting')).toBe(1);
      expect(await value('portage_usage_bytes_waiting')).toBeGreaterThan(100);
      expect(await value('portage_usage_oldest_seconds')).toBe(90);
      isAway = false;
      await pollUntil(
        () => value('portage_usage_batches_waiting'),
        (waiting) => waiting === 0,
      );
      expect(await value('portage_usage_batches_applied_total')).toBe(1);
      expect(await value('portage_usage_oldest_seconds')).toBe(0);
    } finally {
      await metering.stop();
    }
    expect(await app.metrics.getMetricsAsArray()).toEqual([]);
  });
});
