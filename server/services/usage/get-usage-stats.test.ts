import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '#server/durations.ts';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { createTestPerson, joinOrganization } from '#tests/support/app/test-person.ts';
import { atOnce } from '#tests/support/at-once.ts';
import { countUsage, usageRow } from '#tests/support/usage/usage-batches.ts';
import { withUsage } from '#tests/support/usage/usage-world.ts';
import { deleteEndpoint } from '../cdn/delete-endpoint.ts';
import { suspendOrganization } from '../operator/suspend-organization.ts';
import { resolveOrganization } from '../organizations/resolve-organization.ts';
import { deleteSite } from '../sites/delete-site.ts';
import { getUsageStats } from './get-usage-stats.ts';
import { COUNTERS, RANGE_DAYS_MAX } from './rules.ts';
import { usageStatsSchema } from './schema.ts';

const TWO_DAYS = { start_date: '2026-02-28', end_date: '2026-03-01' };

describe('statistics', () => {
  it('have a row for each day and each endpoint or site, oldest first, and their sum', async () => {
    const { context, site, second, endpoint, redirect } = await withUsage();
    const stats = await getUsageStats(context, TWO_DAYS);
    expect(usageStatsSchema.parse(stats)).toEqual(stats);
    expect(stats).toMatchObject(TWO_DAYS);
    expect(stats.usage[2]).toEqual({
      cdn_endpoint_id: endpoint.id,
      site_id: site.id,
      date: '2026-02-28',
      total_bytes_sent: 1_000,
      total_requests: 2,
      total_cache_hits: 1,
      total_cache_misses: 1,
      total_status_2xx: 1,
      total_status_3xx: 0,
      total_status_4xx: 1,
      total_status_5xx: 0,
      total_refused_requests: 0,
      total_refused_bytes_sent: 0,
    });
    const whose = [
      [null, site.id],
      [null, second.id],
      [endpoint.id, site.id],
      [redirect.id, null],
    ];
    expect(stats.usage.map((row) => [row.date, row.cdn_endpoint_id, row.site_id])).toEqual([
      ...whose.map((ids) => ['2026-02-28', ...ids]),
      ...whose.map((ids) => ['2026-03-01', ...ids]),
    ]);
    expect(stats.summary).toMatchObject({ total_bytes_sent: 2 * 111_100, total_requests: 14 });
  });

  it('are of the month by default, of today for a day, and empty when nothing was served', async () => {
    const { context } = await withUsage();
    const month = await getUsageStats(context, {});
    expect([month.start_date, month.end_date, month.usage.length]).toEqual(['2026-03-01', '2026-03-01', 4]);
    expect(await getUsageStats(context, { period: 'day' })).toEqual(month);
    const week = await getUsageStats(context, { period: 'week' });
    expect([week.start_date, week.usage.length]).toEqual(['2026-02-23', 8]);
    const none = await getUsageStats(context, { start_date: '2027-01-01', end_date: '2027-01-31' });
    expect([none.usage, none.summary.total_requests]).toEqual([[], 0]);
  });

  it('are of one endpoint or one site, of the last 30 days for an endpoint', async () => {
    const { app, context, site, endpoint } = await withUsage();
    const row = usageRow(
      context.organization.id,
      { endpointId: endpoint.id, siteId: site.id },
      { requests: 1 },
    );
    await countUsage(app, [row], app.clock.now() - 29 * DAY_MS);
    await countUsage(app, [row], app.clock.now() - 30 * DAY_MS);
    const one = await getUsageStats(context, { cdn_endpoint_id: endpoint.id });
    expect([one.start_date, one.usage.map(({ date }) => date)]).toEqual([
      '2026-01-31',
      ['2026-01-31', '2026-02-28', '2026-03-01'],
    ]);
    const ofSite = await getUsageStats(context, { ...TWO_DAYS, site_id: site.id });
    expect(ofSite.usage.map(({ cdn_endpoint_id }) => cdn_endpoint_id)).toEqual([
      null,
      endpoint.id,
      null,
      endpoint.id,
    ]);
  });

  it('are by the hour on request', async () => {
    const { app, context, second } = await withUsage();
    const row = usageRow(context.organization.id, { siteId: second.id }, { requests: 1 });
    await countUsage(app, [row], app.clock.now() - HOUR_MS);
    const words = { period: 'day', site_id: second.id, granularity: 'hour' } as const;
    const { usage } = await getUsageStats(context, words);
    expect(usage.map(({ date, total_requests }) => [date, total_requests])).toEqual([
      ['2026-03-01T11:00:00.000Z', 1],
      ['2026-03-01T12:00:00.000Z', 2],
    ]);
  });

  it('include deleted endpoints and sites', async () => {
    const { context, site, endpoint } = await withUsage();
    await deleteEndpoint(context, { endpoint_id: endpoint.id });
    await deleteSite(context, { site_id: site.id });
    expect((await getUsageStats(context, TWO_DAYS)).usage).toHaveLength(8);
    expect((await getUsageStats(context, { ...TWO_DAYS, cdn_endpoint_id: endpoint.id })).usage).toHaveLength(
      2,
    );
    expect((await getUsageStats(context, { ...TWO_DAYS, site_id: site.id })).usage).toHaveLength(4);
  });
});

describe('statistics are refused', () => {
  it('for endpoints and sites that the organization never had', async () => {
    const { context, stranger, endpoint, theirSite } = await withUsage();
    const refused = [
      [context, { site_id: theirSite.id }, 'site_not_found'],
      [context, { site_id: 'unknown' }, 'site_not_found'],
      [context, { site_id: endpoint.id }, 'site_not_found'],
      [context, { cdn_endpoint_id: theirSite.id }, 'endpoint_not_found'],
      [stranger, { cdn_endpoint_id: endpoint.id }, 'endpoint_not_found'],
    ] as const;
    for (const [who, words, code] of refused) {
      await expect(getUsageStats(who, words), code).rejects.toMatchObject({ code });
    }
  });

  it('for a range with more rows than a response has, naming the field', async () => {
    const { app, context } = await withUsage();
    const seriesCount = 251;
    const series = Array.from({ length: seriesCount }, (_, at) => ({
      organization_id: context.organization.id,
      endpoint_id: null,
      site_id: `s${at}`,
      key: `s${at}`,
    }));
    await app.db.insertInto('usage_series').values(series).execute();
    const days = Array.from({ length: RANGE_DAYS_MAX }, (_, at) => Date.parse('2024-01-01') + at * DAY_MS);
    for (const day of days) {
      await app.db
        .insertInto('usage_days')
        .columns(['series_id', 'day', ...COUNTERS])
        .expression((eb) =>
          eb
            .selectFrom('usage_series')
            .where('key', 'like', 's%')
            .select(['id', eb.val(day).as('day'), ...COUNTERS.map((each) => eb.val(1).as(each))]),
        )
        .execute();
    }
    const range = { start_date: '2024-01-01', end_date: '2025-02-03' };
    await expect(getUsageStats(context, range)).rejects.toMatchObject({
      code: 'invalid_input',
      fields: [{ path: 'start_date', message: expect.stringContaining('more than 100000 rows') }],
    });
  });

  it('for a range too long by the hour', async () => {
    const { context } = await withUsage();
    const words = { start_date: '2026-02-01', end_date: '2026-02-08', granularity: 'hour' } as const;
    await expect(getUsageStats(context, words)).rejects.toMatchObject({
      code: 'invalid_input',
      fields: [{ path: 'start_date', message: 'a range has at most 7 days here' }],
    });
  });
});

describe('access to statistics', () => {
  it('is granted to every member, an operator, and a member of a suspended organization', async () => {
    const { app, context } = await withUsage();
    const reader = await joinOrganization(await createTestPerson(app), context.organization.id, 'read');
    const operator = await resolveOrganization(operatorContext(app, 'read'), context.organization.id);
    for (const who of [reader, operator]) {
      expect((await getUsageStats(who, TWO_DAYS)).usage).toHaveLength(8);
    }
    await suspendOrganization(operatorContext(app), {
      organization_id: context.organization.id,
      reason: 'unpaid',
    });
    const suspended = await resolveOrganization(context, context.organization.id);
    expect(suspended.organization.isSuspended).toBe(true);
    expect((await getUsageStats(suspended, TWO_DAYS)).usage).toHaveLength(8);
  });

  it('is never granted to another organization, or without a sign-in', async () => {
    const { context, stranger, theirSite } = await withUsage();
    const { usage, summary } = await getUsageStats(stranger, TWO_DAYS);
    expect(usage.map(({ site_id }) => site_id)).toEqual([theirSite.id, theirSite.id]);
    expect(summary.total_bytes_sent).toBe(2_000_000);
    const nobody = { ...context, actor: { kind: 'anonymous' as const } };
    await expect(getUsageStats(nobody, {})).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('is limited to the sites of a credential’s scopes, whatever endpoint they are served at', async () => {
    const { context, site, second, endpoint, redirect, theirSite } = await withUsage();
    const program = credentialContext(context, [site.id]);
    const rows = (await getUsageStats(program, { period: 'day' })).usage;
    expect(rows.map((row) => [row.cdn_endpoint_id, row.site_id])).toEqual([
      [null, site.id],
      [endpoint.id, site.id],
    ]);
    expect(
      (await getUsageStats(program, { period: 'day', cdn_endpoint_id: endpoint.id })).usage,
    ).toHaveLength(1);
    await deleteEndpoint(context, { endpoint_id: endpoint.id });
    expect(
      (await getUsageStats(program, { period: 'day', cdn_endpoint_id: endpoint.id })).usage,
    ).toHaveLength(1);
    for (const site_id of [second.id, theirSite.id, 'unknown']) {
      await expect(getUsageStats(program, { site_id })).rejects.toMatchObject({ code: 'out_of_scope' });
    }
    const other = credentialContext(context, [second.id]);
    const refused = [
      [other, endpoint.id, 'out_of_scope'],
      [other, redirect.id, 'endpoint_not_found'],
      [other, 'unknown', 'endpoint_not_found'],
    ] as const;
    for (const [who, cdn_endpoint_id, code] of refused) {
      await expect(getUsageStats(who, { cdn_endpoint_id }), code).rejects.toMatchObject({ code });
    }
    for (const blind of [credentialContext(context, []), credentialContext(context, [site.id], ['write'])]) {
      expect((await getUsageStats(blind, TWO_DAYS)).usage).toEqual([]);
    }
  });
});

it('statistics read while batches arrive are consistent: rows and sum agree, and nothing is counted in part', async () => {
  const { app, context, site } = await withUsage();
  const row = usageRow(context.organization.id, { siteId: site.id }, { requests: 3, status_2xx: 3 });
  const works = Array.from({ length: 10 }, (_, at) =>
    at % 2 === 0 ? () => countUsage(app, [row]) : () => getUsageStats(context, { period: 'day' }),
  );
  for (const end of await atOnce<unknown>(app, works)) {
    expect(end.status).toBe('fulfilled');
    if (end.status !== 'fulfilled' || end.value === undefined) continue;
    const { usage, summary } = usageStatsSchema.parse(end.value);
    expect(summary.total_requests).toBe(usage.reduce((sum, each) => sum + each.total_requests, 0));
    const { total_status_2xx, total_requests } = summary;
    expect(total_requests - total_status_2xx).toBe(4);
  }
});
