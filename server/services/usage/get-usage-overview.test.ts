import { describe, expect, it } from 'vitest';
import { runForAsker } from '#db/asker.ts';
import type { OrganizationContext } from '#server/context.ts';
import { DAY_MS, HOUR_MS } from '#server/durations.ts';
import { countTurns } from '#tests/support/app/count-turns.ts';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { atOnce } from '#tests/support/at-once.ts';
import { countUsage, usageRow } from '#tests/support/usage/usage-batches.ts';
import { withUsage } from '#tests/support/usage/usage-world.ts';
import { deleteEndpoint } from '../cdn/delete-endpoint.ts';
import { createSite } from '../sites/create-site.ts';
import { deleteSite } from '../sites/delete-site.ts';
import { getUsageOverview } from './get-usage-overview.ts';
import { type UsageOverview, usageOverviewSchema } from './schema.ts';
import { sumTotals } from './totals.ts';

const TWO_DAYS = { start_date: '2026-02-28', end_date: '2026-03-01' };

const namesOf = ({ resources }: UsageOverview) => resources.map(({ name }) => name);

describe('an overview', () => {
  it('lists each endpoint and site with its share, most bytes first', async () => {
    const { context, site, second, endpoint, redirect } = await withUsage();
    const overview = await getUsageOverview(context, TWO_DAYS);
    expect(usageOverviewSchema.parse(overview)).toEqual(overview);
    const known = { is_deleted: false };
    expect(overview.resources).toMatchObject([
      { ...known, name: 'old.example.ca', cdn_endpoint_id: redirect.id, site_id: null, total_requests: 2 },
      { ...known, name: 'Manual', cdn_endpoint_id: null, site_id: second.id, total_bytes_sent: 20_000 },
      { ...known, name: 'www.example.ca', cdn_endpoint_id: endpoint.id, site_id: site.id },
      { ...known, name: 'Blog', cdn_endpoint_id: null, site_id: site.id, total_bytes_sent: 200 },
    ]);
    expect(overview).toMatchObject({ ...TWO_DAYS, granularity: 'hour', active_sites: 2 });
    expect(overview.summary).toEqual(sumTotals(overview.resources));
    expect(sumTotals(overview.points)).toEqual(overview.summary);
  });

  it('lists no more of them than requested, and includes all in the sum', async () => {
    const { context } = await withUsage();
    const whole = await getUsageOverview(context, TWO_DAYS);
    const one = await getUsageOverview(context, { ...TWO_DAYS, resources_max: 1 });
    expect(one).toEqual({ ...whole, resources: whole.resources.slice(0, 1) });
    expect(one.resource_count).toBe(whole.resources.length);
    expect((await getUsageOverview(context, { ...TWO_DAYS, resources_max: 0 })).resources).toEqual([]);
    await expect(getUsageOverview(context, { resources_max: -1 })).rejects.toThrow();
  });

  it('has a point for every hour up to now, or for every day of a longer range', async () => {
    const { context } = await withUsage();
    const hours = (await getUsageOverview(context, { period: 'day' })).points;
    expect(hours.map(({ date }) => date)).toEqual(
      Array.from({ length: 13 }, (_, hour) => `2026-03-01T${String(hour).padStart(2, '0')}:00:00.000Z`),
    );
    expect(hours.filter(({ total_requests }) => total_requests > 0)).toHaveLength(1);
    const days = (await getUsageOverview(context, { period: 'week' })).points;
    expect(days.map(({ date, total_requests }) => [date.slice(5), total_requests])).toEqual([
      ['02-23', 0],
      ['02-24', 0],
      ['02-25', 0],
      ['02-26', 0],
      ['02-27', 0],
      ['02-28', 7],
      ['03-01', 7],
    ]);
    const future = await getUsageOverview(context, { start_date: '2026-04-01', end_date: '2026-04-30' });
    expect([future.points, future.summary.total_requests]).toEqual([[], 0]);
  });

  it('of many months adds up too, and yields to other work meanwhile', async () => {
    const { app, context, site, second } = await withUsage();
    const rows = [site, second].map(({ id }, at) =>
      usageRow(context.organization.id, { siteId: id }, { requests: at + 1, bytes_sent: 1 }),
    );
    for (const daysAgo of [2, 30, 31, 32, 61, 62, 63, 99, 100, 131, 199, 200]) {
      await countUsage(app, rows, app.clock.now() - daysAgo * DAY_MS);
    }
    const { result: overview, turns } = await countTurns(() =>
      getUsageOverview(context, { start_date: '2025-11-22' }),
    );
    expect(turns).toBeGreaterThanOrEqual(4);
    expect(overview.points).toHaveLength(100);
    expect(overview.summary.total_requests).toBe(8 * 3 + 14);
    expect(sumTotals(overview.points)).toEqual(overview.summary);
    expect(sumTotals(overview.resources)).toEqual(overview.summary);
    expect(overview.previous.total_requests).toBe(3 * 3);
  });

  it('waits for few of the many that another organization requests', async () => {
    const { app, context } = await withUsage();
    const { context: other } = await createTestPerson(app);
    const ended: string[] = [];
    const ask = (by: OrganizationContext, name: string) =>
      runForAsker(by.organization.id, () => getUsageOverview(by, { start_date: '2025-11-22' })).then(() =>
        ended.push(name),
      );
    await Promise.all([...Array.from({ length: 20 }, () => ask(context, 'many')), ask(other, 'one')]);
    expect(ended.indexOf('one')).toBeLessThan(10);
  });

  it('includes counts of an edge whose clock is ahead', async () => {
    const { app, context, site } = await withUsage();
    const row = usageRow(context.organization.id, { siteId: site.id }, { requests: 1 });
    await countUsage(app, [row], app.clock.now() + 3 * HOUR_MS);
    const { points, summary } = await getUsageOverview(context, { period: 'day' });
    expect(points.at(-1)).toMatchObject({ date: '2026-03-01T15:00:00.000Z', total_requests: 1 });
    expect(sumTotals(points)).toEqual(summary);
  });

  it('compares with the same time before, to the hour', async () => {
    const { app, context, site } = await withUsage();
    const count = (requests: number, at: string) =>
      countUsage(app, [usageRow(context.organization.id, { siteId: site.id }, { requests })], Date.parse(at));
    await count(1, '2026-02-01T11:59Z');
    await count(10, '2026-02-01T12:00Z');
    await count(100, '2026-01-31T23:59Z');
    await count(1_000, '2026-02-20T00:00Z');
    expect((await getUsageOverview(context, {})).previous.total_requests).toBe(1);
    const custom = await getUsageOverview(context, { start_date: '2026-02-21', end_date: '2026-02-22' });
    expect(custom.previous.total_requests).toBe(1_000);
  });

  it('combines what an endpoint served of several sites into one resource', async () => {
    const { app, context, endpoint, second } = await withUsage();
    const whose = { endpointId: endpoint.id, siteId: second.id };
    await countUsage(app, [usageRow(context.organization.id, whose, { requests: 5, bytes_sent: 1 })]);
    const { resources } = await getUsageOverview(context, { cdn_endpoint_id: endpoint.id });
    expect(resources).toMatchObject([
      { cdn_endpoint_id: endpoint.id, site_id: null, total_requests: 9, total_bytes_sent: 2_001 },
    ]);
  });

  it('keeps the names of deleted resources', async () => {
    const { context, site, endpoint } = await withUsage();
    await deleteEndpoint(context, { endpoint_id: endpoint.id });
    await deleteSite(context, { site_id: site.id });
    const { resources } = await getUsageOverview(context, TWO_DAYS);
    expect(resources.map(({ name, is_deleted }) => [name, is_deleted])).toEqual([
      ['old.example.ca', false],
      ['Manual', false],
      ['www.example.ca', true],
      ['Blog', true],
    ]);
  });

  it('counts as active the sites that existed at any instant of the range', async () => {
    const { app, context, site } = await withUsage();
    app.clock.advance(10 * DAY_MS);
    const brief = await createSite(context, { name: 'Brief' });
    app.clock.advance(1_000);
    await deleteSite(context, { site_id: brief.id });
    const activeOn = async (start_date: string, end_date = start_date, words = {}) =>
      (await getUsageOverview(context, { start_date, end_date, ...words })).active_sites;
    expect(await activeOn('2026-02-28')).toBe(0);
    expect(await activeOn('2026-03-01')).toBe(2);
    expect(await activeOn('2026-03-11')).toBe(3);
    expect(await activeOn('2026-03-12')).toBe(2);
    expect(await activeOn('2026-02-01', '2026-03-31')).toBe(3);
    expect(await activeOn('2026-03-11', '2026-03-11', { site_id: brief.id })).toBe(1);
    expect(await activeOn('2026-03-12', '2026-03-12', { site_id: brief.id })).toBe(0);
    expect(await activeOn('2026-03-11', '2026-03-11', { site_id: site.id })).toBe(1);
  });
});

describe('access to an overview', () => {
  it('is limited to the sites of a credential’s scopes: resources, points, growth and active sites', async () => {
    const { context, site, second, endpoint } = await withUsage();
    const program = credentialContext(context, [second.id]);
    const overview = await getUsageOverview(program, { period: 'day' });
    expect(namesOf(overview)).toEqual(['Manual']);
    expect(overview).toMatchObject({
      active_sites: 1,
      summary: { total_bytes_sent: 10_000 },
      previous: { total_bytes_sent: 0 },
    });
    expect(sumTotals(overview.points)).toEqual(overview.summary);
    await expect(getUsageOverview(program, { site_id: site.id })).rejects.toMatchObject({
      code: 'out_of_scope',
    });
    const one = await getUsageOverview(credentialContext(context, [site.id]), {
      cdn_endpoint_id: endpoint.id,
    });
    expect([namesOf(one), one.active_sites]).toEqual([['www.example.ca'], 1]);
    const blind = await getUsageOverview(credentialContext(context, []), TWO_DAYS);
    expect([blind.resources, blind.active_sites]).toEqual([[], 0]);
  });

  it('is never granted to another organization', async () => {
    const { stranger, endpoint } = await withUsage();
    const overview = await getUsageOverview(stranger, TWO_DAYS);
    expect([namesOf(overview), overview.active_sites]).toEqual([['Shop'], 1]);
    await expect(getUsageOverview(stranger, { cdn_endpoint_id: endpoint.id })).rejects.toMatchObject({
      code: 'endpoint_not_found',
    });
  });
});

it('an overview read while batches arrive is consistent: points, resources and the total are of one moment', async () => {
  const { app, context, site } = await withUsage();
  const row = usageRow(context.organization.id, { siteId: site.id }, { requests: 3, bytes_sent: 7 });
  const works = Array.from({ length: 16 }, (_, at) =>
    at % 2 === 0 ? () => countUsage(app, [row]) : () => getUsageOverview(context, TWO_DAYS),
  );
  for (const end of await atOnce<unknown>(app, works)) {
    expect(end.status).toBe('fulfilled');
    if (end.status !== 'fulfilled' || end.value === undefined) continue;
    const { points, resources, summary } = usageOverviewSchema.parse(end.value);
    expect([sumTotals(points), sumTotals(resources)]).toEqual([summary, summary]);
  }
});
