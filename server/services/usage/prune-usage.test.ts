import { describe, expect, it } from 'vitest';
import type { RequestContext } from '#server/context.ts';
import { DAY_MS, HOUR_MS } from '#server/durations.ts';
import { countTurns } from '#tests/support/app/count-turns.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { engine } from '#tests/support/runner/engine.ts';
import { countUsage, usageBatch, usageRow } from '#tests/support/usage/usage-batches.ts';
import { REMOVED_AT_ONCE } from '../shared/remove-in-slices.ts';
import { applyUsageBatch } from './apply-usage-batch.ts';
import { pruneUsage } from './prune-usage.ts';
import { HOURS_KEPT_MS, PATHS_KEPT_PER_DAY } from './rules.ts';

function asJob(app: TestApp): RequestContext {
  return { app, actor: { kind: 'job', name: 'prune-usage' }, requestId: 'r', address: '' };
}

/** Files of a site, least requested first. */
function files(count: number): [string, number, number][] {
  return Array.from({ length: count }, (_, at) => [`/${String(at).padStart(5, '0')}`, 1, at]);
}

async function countFiles(app: TestApp, at: number, count: number, siteId = 'site'): Promise<void> {
  await countUsage(app, [usageRow('organization', { siteId }, { requests: 1, paths: files(count) })], at);
}

async function pathsOf({ db }: TestApp): Promise<string[]> {
  const rows = await db.selectFrom('usage_paths').select('path').orderBy('day').orderBy('path').execute();
  return rows.map(({ path }) => path);
}

describe('pruning', () => {
  it('removes hours and files after 90 days, and never a day', async () => {
    const app = await createTestApp();
    const now = app.clock.now();
    await countFiles(app, now - HOURS_KEPT_MS - DAY_MS - HOUR_MS, 2);
    await countFiles(app, now - HOURS_KEPT_MS - HOUR_MS, 2);
    await countFiles(app, now - HOURS_KEPT_MS, 2);
    await countFiles(app, now, 2);
    expect(await pruneUsage(asJob(app))).toEqual({ hours: 2, paths: 2 });
    const hours = await app.db.selectFrom('usage_hours').select('hour').orderBy('hour').execute();
    expect(hours).toEqual([{ hour: now - HOURS_KEPT_MS }, { hour: now }]);
    expect(await app.db.selectFrom('usage_days').select('day').execute()).toHaveLength(3);
    expect(await pathsOf(app)).toHaveLength(4);
    expect(await pruneUsage(asJob(app))).toEqual({ hours: 0, paths: 0 });
  });

  it('keeps the files with most bytes for every past day, however long it has not run, and all of today', async () => {
    const app = await createTestApp();
    const now = app.clock.now();
    const tooMany = PATHS_KEPT_PER_DAY + 3;
    for (const daysAgo of [0, 1, 2, 30]) await countFiles(app, now - daysAgo * DAY_MS, tooMany);
    await countFiles(app, now - DAY_MS, 3, 'small');
    expect(await pruneUsage(asJob(app))).toEqual({ hours: 0, paths: 9 });
    expect(await pathsOf(app)).toHaveLength(3 * PATHS_KEPT_PER_DAY + tooMany + 3);
    const kept = await app.db
      .selectFrom('usage_paths')
      .select('path')
      .where('day', '=', Date.parse('2026-02-27'))
      .orderBy('path')
      .execute();
    expect(kept.map(({ path }) => path)).toEqual(
      files(tooMany)
        .slice(3)
        .map(([path]) => path),
    );
    // A node that was offline sends files of a day long past.
    await countFiles(app, now - 30 * DAY_MS, 3);
    expect(await pruneUsage(asJob(app))).toEqual({ hours: 0, paths: 3 });
  });

  it('processes many series and thousands of rows of one', async () => {
    const app = await createTestApp();
    const long = app.clock.now() - HOURS_KEPT_MS - DAY_MS;
    const rows = Array.from({ length: 250 }, (_, at) =>
      usageRow('organization', { siteId: `site-${at}` }, { requests: 1 }),
    );
    for (let hour = 0; hour < 10; hour += 1) await countUsage(app, rows, long - hour * HOUR_MS);
    await countFiles(app, app.clock.now() - DAY_MS, 2_500);
    expect(await pruneUsage(asJob(app))).toEqual({ hours: 2_500, paths: 2_500 - PATHS_KEPT_PER_DAY });
    expect(await app.db.selectFrom('usage_hours').select('hour').execute()).toHaveLength(1);
    expect(await pathsOf(app)).toHaveLength(PATHS_KEPT_PER_DAY);
  });

  it('deletes runs of nodes after 400 days', async () => {
    const app = await createTestApp();
    const batch = usageBatch(app.clock.now(), []);
    await applyUsageBatch(app, batch);
    app.clock.advance(400 * DAY_MS);
    await pruneUsage(asJob(app));
    expect(await applyUsageBatch(app, batch)).toBe(false);
    app.clock.advance(1);
    await pruneUsage(asJob(app));
    expect(await app.db.selectFrom('usage_cursors').selectAll().execute()).toEqual([]);
  });

  it('stops when told to, and continues the next time', async () => {
    const app = await createTestApp();
    await countFiles(app, app.clock.now() - HOURS_KEPT_MS - DAY_MS, 2);
    const stopped = AbortSignal.abort();
    expect(await pruneUsage(asJob(app), stopped)).toEqual({ hours: 0, paths: 0 });
    expect(await pruneUsage(asJob(app))).toEqual({ hours: 1, paths: 2 });
  });

  it('yields to other work between two statements', async () => {
    const app = await createTestApp();
    const long = app.clock.now() - HOURS_KEPT_MS - DAY_MS;
    const rows = Array.from({ length: 300 }, (_, at) =>
      usageRow('organization', { siteId: `site-${at}` }, { requests: 1 }),
    );
    for (let hour = 0; hour < 10; hour += 1) await countUsage(app, rows, long - hour * HOUR_MS);
    const { turns } = await countTurns(() => pruneUsage(asJob(app)));
    // Three rounds of series, each with statements of a thousand rows at most, and a turn after each series.
    expect(turns).toBeGreaterThan(300);
  });

  it('may run twice at once, while counts are added', async () => {
    const app = await createTestApp();
    const now = app.clock.now();
    for (const daysAgo of [1, 2, 3]) await countFiles(app, now - daysAgo * DAY_MS, PATHS_KEPT_PER_DAY + 50);
    const [first, second] = await Promise.all([
      pruneUsage(asJob(app)),
      pruneUsage(asJob(app)),
      countFiles(app, now, 2),
    ]);
    expect((first?.paths ?? 0) + (second?.paths ?? 0)).toBe(150);
    expect(await pathsOf(app)).toHaveLength(3 * PATHS_KEPT_PER_DAY + 2);
  });

  // An embedded database has one writer at a time.
  it.runIf(engine === 'postgres')(
    'skips what a late batch is being added to, so that they never deadlock',
    async () => {
      const app = await createTestApp();
      const yesterday = app.clock.now() - DAY_MS;
      await countFiles(app, yesterday, PATHS_KEPT_PER_DAY + 3);
      await app.db.transaction().execute(async (trx) => {
        await trx.updateTable('usage_paths').set({ requests: 2 }).where('path', '=', '/00001').execute();
        expect(await pruneUsage(asJob(app))).toEqual({ hours: 0, paths: 2 });
      });
      expect(await pathsOf(app)).toContain('/00001');
      expect(await pruneUsage(asJob(app))).toEqual({ hours: 0, paths: 1 });
    },
  );

  it('deletes edges that were never seen again, however many there were', async () => {
    const app = await createTestApp();
    const old = app.clock.now() - 401 * DAY_MS;
    const cursors = Array.from({ length: 2 * REMOVED_AT_ONCE + 1 }, (_, at) => ({
      ...{ node_id: `node-${at % 7}`, boot_id: `boot-${at}`, sequence: 1, updated_at: old },
    }));
    for (let at = 0; at < cursors.length; at += 200) {
      await app.db
        .insertInto('usage_cursors')
        .values(cursors.slice(at, at + 200))
        .execute();
    }
    const living = { node_id: 'node-1', boot_id: 'living', sequence: 9, updated_at: app.clock.now() };
    await app.db.insertInto('usage_cursors').values(living).execute();
    await pruneUsage(asJob(app));
    const left = await app.db.selectFrom('usage_cursors').select('boot_id').execute();
    expect(left).toEqual([{ boot_id: 'living' }]);
  });
});
