import { describe, expect, it } from 'vitest';
import type { App } from '#server/context.ts';
import { DAY_MS, HOUR_MS } from '#server/durations.ts';
import { newId } from '#server/ids.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { atOnce } from '#tests/support/at-once.ts';
import { withTwoSites } from '#tests/support/certificates/endpoints.ts';
import { countUsage, usageBatch, usageRow } from '#tests/support/usage/usage-batches.ts';
import { deleteEndpoint } from '../cdn/delete-endpoint.ts';
import { applyUsageBatch } from './apply-usage-batch.ts';
import { getUsageOverview } from './get-usage-overview.ts';
import { getUsageStats } from './get-usage-stats.ts';
import { PATHS_LISTED_PER_DAY } from './rules.ts';

async function withPerson() {
  const app = await createTestApp();
  const { context } = await createTestPerson(app);
  return { app, context, organizationId: context.organization.id };
}

/** The sums of the hours and days of the whole installation. */
async function sumsOf({ db }: App) {
  const sum = async (table: 'usage_hours' | 'usage_days') => {
    const rows = await db.selectFrom(table).select(['bytes_sent', 'requests']).execute();
    const add = (name: 'bytes_sent' | 'requests') => rows.reduce((total, row) => total + row[name], 0);
    return [add('bytes_sent'), add('requests')];
  };
  return { hours: await sum('usage_hours'), days: await sum('usage_days') };
}

describe('a batch', () => {
  it('is added to the hour and the day of its series, and to its files', async () => {
    const { app, organizationId } = await withPerson();
    const at = Date.parse('2026-02-28T23:59:59Z');
    const counted = {
      bytes_sent: 1_000,
      requests: 10,
      cache_hits: 7,
      cache_misses: 3,
      status_2xx: 4,
      status_3xx: 3,
      status_4xx: 2,
      status_5xx: 1,
      refused_requests: 5,
      refused_bytes: 500,
    };
    const row = usageRow(organizationId, { siteId: 'site' }, { ...counted, paths: [['/', 10, 1_000]] });
    expect(await applyUsageBatch(app, usageBatch(at, [row]))).toBe(true);
    await countUsage(app, [row], at + 1_000);
    const series = await app.db.selectFrom('usage_series').selectAll().executeTakeFirstOrThrow();
    expect(series).toMatchObject({ organization_id: organizationId, endpoint_id: null, site_id: 'site' });
    const [first, second] = [Date.parse('2026-02-28T00:00Z'), Date.parse('2026-03-01T00:00Z')];
    const whose = { series_id: series.id, ...counted };
    const hours = await app.db.selectFrom('usage_hours').selectAll().orderBy('hour').execute();
    expect(hours).toEqual([
      { ...whose, hour: first + 23 * HOUR_MS },
      { ...whose, hour: second },
    ]);
    const days = await app.db.selectFrom('usage_days').selectAll().orderBy('day').execute();
    expect(days).toEqual([
      { ...whose, day: first },
      { ...whose, day: second },
    ]);
    const paths = await app.db.selectFrom('usage_paths').selectAll().orderBy('day').execute();
    const listed = { series_id: series.id, path: '/', requests: 10, bytes_sent: 1_000 };
    expect(paths).toEqual([
      { ...listed, day: first },
      { ...listed, day: second },
    ]);
  });

  it('lists no new files on a day whose list is full, and continues with the listed ones', async () => {
    const { app, organizationId } = await withPerson();
    const now = app.clock.now();
    const files = (count: number, from = 0): [string, number, number][] =>
      Array.from({ length: count }, (_, at) => [`/${from + at}`, 1, 10]);
    const count = async (siteId: string, paths: [string, number, number][]) => {
      const row = usageRow(organizationId, { siteId }, { requests: paths.length, paths });
      await countUsage(app, [row, usageRow(organizationId, { siteId: `not-${siteId}` }, { paths })], now);
    };
    await count('site', files(PATHS_LISTED_PER_DAY - 1));
    await count('site', files(2, PATHS_LISTED_PER_DAY - 1));
    await count('site', [...files(1), ...files(100, 2 * PATHS_LISTED_PER_DAY)]);
    await count('small', files(3));
    const listed = await app.db
      .selectFrom('usage_paths')
      .innerJoin('usage_series', 'usage_series.id', 'usage_paths.series_id')
      .select(['site_id', ({ fn }) => fn.countAll<number>().as('files')])
      .select(({ fn }) => fn.max('usage_paths.requests').as('most'))
      .groupBy('site_id')
      .orderBy('site_id')
      .execute();
    expect(listed).toEqual([
      { site_id: 'not-site', files: PATHS_LISTED_PER_DAY + 1, most: 2 },
      { site_id: 'not-small', files: 3, most: 1 },
      { site_id: 'site', files: PATHS_LISTED_PER_DAY + 1, most: 2 },
      { site_id: 'small', files: 3, most: 1 },
    ]);
    // What is billed is counted regardless.
    expect((await sumsOf(app)).hours).toEqual([0, PATHS_LISTED_PER_DAY - 1 + 2 + 101 + 3]);
    await countUsage(
      app,
      [usageRow(organizationId, { siteId: 'site' }, { paths: files(1, -1) })],
      now - DAY_MS,
    );
    expect(await app.db.selectFrom('usage_paths').select('path').where('path', '=', '/-1').execute()).toEqual(
      [{ path: '/-1' }],
    );
  });

  it('changes nothing when repeated, or when it arrives after a later one', async () => {
    const { app, organizationId } = await withPerson();
    const row = usageRow(organizationId, { siteId: 'site' }, { requests: 1, paths: [['/', 1, 0]] });
    const batch = usageBatch(app.clock.now(), [row]);
    const send = (sequence: number, over = {}) => applyUsageBatch(app, { ...batch, sequence, ...over });
    expect([await send(1), await send(1), await send(3), await send(2), await send(3)]).toEqual([
      true,
      false,
      true,
      false,
      false,
    ]);
    expect(await send(1, { boot_id: newId() })).toBe(true);
    expect(await send(1, { node_id: 'another' })).toBe(true);
    expect(await sumsOf(app)).toEqual({ hours: [0, 4], days: [0, 4] });
  });

  it('may contain a series or a file more than once', async () => {
    const { app, organizationId } = await withPerson();
    const row = (requests: number, path: string) =>
      usageRow(organizationId, { siteId: 'site' }, { requests, bytes_sent: 1, paths: [[path, requests, 1]] });
    const twice = usageRow(
      organizationId,
      {},
      {
        paths: [
          ['/b', 1, 1],
          ['/b', 2, 2],
        ],
      },
    );
    await countUsage(app, [row(1, '/'), row(2, '/a'), row(4, '/'), twice]);
    expect(await sumsOf(app)).toEqual({ hours: [3, 7], days: [3, 7] });
    const paths = await app.db
      .selectFrom('usage_paths')
      .select(['path', 'requests'])
      .orderBy('path')
      .execute();
    expect(paths).toEqual([
      { path: '/', requests: 5 },
      { path: '/a', requests: 2 },
      { path: '/b', requests: 3 },
    ]);
  });

  it('of thousands of series is added completely, repeatedly', async () => {
    const { app, organizationId } = await withPerson();
    const rows = Array.from({ length: 5_000 }, (_, at) =>
      usageRow(organizationId, { endpointId: `endpoint-${at}` }, { requests: 1, paths: [['/', 1, 1]] }),
    );
    await countUsage(app, rows);
    await countUsage(app, rows.toReversed());
    expect(await sumsOf(app)).toEqual({ hours: [0, 10_000], days: [0, 10_000] });
    const series = await app.db.selectFrom('usage_series').select('id').execute();
    expect(series).toHaveLength(5_000);
  });

  it('is exact to the byte up to the largest safe integer', async () => {
    const { app, context, organizationId } = await withPerson();
    const most = Number.MAX_SAFE_INTEGER;
    for (const bytes_sent of [2 ** 52, most - 2 ** 52]) {
      await countUsage(app, [usageRow(organizationId, { siteId: 'site' }, { bytes_sent })]);
    }
    expect(await sumsOf(app)).toEqual({ hours: [most, 0], days: [most, 0] });
    expect((await getUsageOverview(context, {})).summary.total_bytes_sent).toBe(most);
  });

  it('is added for deleted endpoints and organizations', async () => {
    const { app, context, claim } = await withTwoSites();
    const endpoint = await claim();
    await deleteEndpoint(context, { endpoint_id: endpoint.id });
    const row = usageRow(context.organization.id, { endpointId: endpoint.id }, { requests: 1 });
    await countUsage(app, [row, usageRow('nobody', { siteId: 'nothing' }, { requests: 1 })]);
    const { usage } = await getUsageStats(context, { cdn_endpoint_id: endpoint.id });
    expect(usage).toMatchObject([{ cdn_endpoint_id: endpoint.id, total_requests: 1 }]);
  });

  it('drops files that a database could not store, and nothing else', async () => {
    const { app, organizationId } = await withPerson();
    const paths: [string, number, number][] = ['/\0', `/${'x'.repeat(3_000)}`, '/\ud800', '/é'].map(
      (path) => [path, 1, 1],
    );
    await countUsage(app, [usageRow(organizationId, {}, { requests: 4, paths })]);
    expect(await sumsOf(app)).toMatchObject({ days: [0, 4] });
    expect(await app.db.selectFrom('usage_paths').select('path').execute()).toEqual([{ path: '/é' }]);
  });

  it('is rejected as a whole when a count is negative, not an integer or too large, or its hour is invalid', async () => {
    const { app, organizationId } = await withPerson();
    const right = usageRow(organizationId, { siteId: 'site' }, { requests: 1 });
    for (const requests of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      const rows = [right, usageRow(organizationId, {}, { requests })];
      await expect(countUsage(app, rows), String(requests)).rejects.toThrow();
    }
    const batch = usageBatch(app.clock.now(), [right]);
    for (const hour of [batch.hour + 1, -HOUR_MS, 2 ** 53 - 1]) {
      await expect(applyUsageBatch(app, { ...batch, hour }), String(hour)).rejects.toThrow();
    }
    await expect(applyUsageBatch(app, { ...batch, sequence: 0 })).rejects.toThrow();
    expect(await sumsOf(app)).toEqual({ hours: [0, 0], days: [0, 0] });
    expect(await app.db.selectFrom('usage_cursors').selectAll().execute()).toEqual([]);
  });
});

describe('concurrent batches', () => {
  it('are added once when they are identical', async () => {
    const { app, organizationId } = await withPerson();
    const row = usageRow(organizationId, { siteId: 'site' }, { requests: 1 });
    const batch = usageBatch(app.clock.now(), [row]);
    const ended = await atOnce(
      app,
      Array.from({ length: 6 }, () => () => applyUsageBatch(app, batch)),
    );
    const added = ended.map((end) => (end.status === 'fulfilled' ? end.value : end.reason));
    expect(added.sort()).toEqual([false, false, false, false, false, true]);
    expect(await sumsOf(app)).toEqual({ hours: [0, 1], days: [0, 1] });
  });

  it('of many nodes, hours and orders over the same series never deadlock', async () => {
    const { app, organizationId } = await withPerson();
    const rowsOf = (node: number) => {
      const rows = Array.from({ length: 700 }, (_, at) =>
        usageRow(
          organizationId,
          { endpointId: `endpoint-${(at * (node + 2)) % 1_100}` },
          { requests: 1, paths: [[`/${at % 3}`, 1, 1]] },
        ),
      );
      return node % 2 === 0 ? rows : rows.toReversed();
    };
    const works = Array.from({ length: 8 }, (_, node) => async () => {
      const batch = usageBatch(app.clock.now() - (node % 3) * HOUR_MS, rowsOf(node), {
        node_id: `node-${node}`,
      });
      for (let sequence = 1; sequence <= 4; sequence += 1) await applyUsageBatch(app, { ...batch, sequence });
    });
    for (const end of await atOnce(app, works)) expect(end).toMatchObject({ status: 'fulfilled' });
    const total = 8 * 4 * 700;
    expect(await sumsOf(app)).toEqual({ hours: [0, total], days: [0, total] });
  });
});
