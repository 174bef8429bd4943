import { describe, expect, it } from 'vitest';
import { DAY_MS } from '#server/durations.ts';
import { countTurns } from '#tests/support/app/count-turns.ts';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import { countUsage, usageRow } from '#tests/support/usage/usage-batches.ts';
import { withUsage } from '#tests/support/usage/usage-world.ts';
import { deleteEndpoint } from '../cdn/delete-endpoint.ts';
import { createSite } from '../sites/create-site.ts';
import { exportUsage, type UsageExport } from './export-usage.ts';
import { HOURS_KEPT_MS } from './rules.ts';

const TWO_DAYS = { start_date: '2026-02-28', end_date: '2026-03-01' };
const HEAD =
  'date,cdn_endpoint_id,site_id,name,total_bytes_sent,total_requests,total_cache_hits,total_cache_misses,' +
  'total_status_2xx,total_status_3xx,total_status_4xx,total_status_5xx,total_refused_requests,total_refused_bytes_sent';

/** The lines of a CSV, without the end of the last. */
async function linesOf({ text }: UsageExport): Promise<string[]> {
  const whole = (await Array.fromAsync(text)).join('');
  expect(whole.endsWith('\r\n')).toBe(true);
  return whole.slice(0, -2).split('\r\n');
}

describe('a CSV', () => {
  it('has the rows of the statistics with names, oldest first, including deleted ones', async () => {
    const { context, site, second, endpoint, redirect } = await withUsage();
    await deleteEndpoint(context, { endpoint_id: endpoint.id });
    const csv = await exportUsage(context, TWO_DAYS);
    expect(csv.filename).toBe('usage-2026-02-28-2026-03-01.csv');
    const lines = await linesOf(csv);
    expect(lines[0]).toBe(HEAD);
    const day = (date: string) => [
      `${date},,${site.id},Blog,100,2,1,1,1,0,1,0,0,0`,
      `${date},,${second.id},Manual,10000,2,1,1,1,0,1,0,0,0`,
      `${date},${endpoint.id},${site.id},www.example.ca,1000,2,1,1,1,0,1,0,0,0`,
      `${date},${redirect.id},,old.example.ca,100000,1,0,0,0,1,0,0,0,0`,
    ];
    expect(lines.slice(1)).toEqual([...day('2026-02-28'), ...day('2026-03-01')]);
  });

  it('is by the hour on request, for as long as hours are kept', async () => {
    const { app, context, second } = await withUsage();
    const row = usageRow(context.organization.id, { siteId: second.id }, { requests: 1 });
    await countUsage(app, [row], app.clock.now() - HOURS_KEPT_MS);
    await countUsage(app, [row], app.clock.now() - HOURS_KEPT_MS - DAY_MS);
    const words = { start_date: '2025-11-01', site_id: second.id, granularity: 'hour' } as const;
    const lines = await linesOf(await exportUsage(context, words));
    expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual([
      '2025-12-01T12:00:00.000Z',
      '2026-02-28T12:00:00.000Z',
      '2026-03-01T12:00:00.000Z',
    ]);
  });

  it('has only its header when nothing was served', async () => {
    const { context } = await withUsage();
    const empty = await exportUsage(context, { start_date: '2025-06-01', end_date: '2025-06-30' });
    expect(await linesOf(empty)).toEqual([HEAD]);
  });

  it('yields to other work between two reads', async () => {
    const { app, context } = await withUsage();
    const rows = Array.from({ length: 3_000 }, (_, at) =>
      usageRow(context.organization.id, { endpointId: `e-${at}` }, { requests: 1 }),
    );
    for (const daysAgo of [1, 2, 3, 4]) await countUsage(app, rows, app.clock.now() - daysAgo * DAY_MS);
    const { text } = await exportUsage(context, { start_date: '2026-02-25' });
    const { result: reads, turns } = await countTurns(async () => {
      let count = 0;
      for await (const _ of text) count += 1;
      return count;
    });
    expect(reads).toBe(1 + 5);
    expect(turns).toBeGreaterThanOrEqual(5);
  });

  it('of one day with very many hosts is written in several turns', async () => {
    const { app, context } = await withUsage();
    const rows = Array.from({ length: 20_000 }, (_, at) =>
      usageRow(context.organization.id, { endpointId: `e-${at}` }, { requests: 1 }),
    );
    await countUsage(app, rows, app.clock.now() - DAY_MS);
    const day = { start_date: '2026-02-28', end_date: '2026-02-28' };
    const csv = await exportUsage(context, day);
    const { result, longestShare } = await countTurns(() => linesOf(csv));
    expect(result).toHaveLength(1 + 20_000 + 4);
    expect(longestShare).toBeLessThan(0.5);
  });

  it('has every row of more than one read, and what is counted for the first time in the meantime', async () => {
    const { app, context } = await withUsage();
    const { id } = context.organization;
    const rows = Array.from({ length: 2_000 }, (_, at) =>
      usageRow(id, { endpointId: `e-${at}` }, { requests: 1 }),
    );
    for (const daysAgo of [1, 2, 3, 4]) await countUsage(app, rows, app.clock.now() - daysAgo * DAY_MS);
    const { text } = await exportUsage(context, { start_date: '2026-02-20' });
    const parts = text[Symbol.asyncIterator]();
    let lines = 0;
    const read = async () => {
      const { value, done } = await parts.next();
      if (!done) lines += value.split('\r\n').length - 1;
      return !done;
    };
    expect(await read()).toBe(true);
    expect(await read()).toBe(true);
    const fresh = await createSite(context, { name: '=Fresh' });
    await countUsage(app, [usageRow(id, { siteId: fresh.id }, { requests: 1 })]);
    while (await read());
    expect(lines).toBe(1 + 4 * 2_000 + 8 + 1);
  });

  it('gets a new revision with every counted request, and keeps it otherwise', async () => {
    const { app, context, stranger, site, second } = await withUsage();
    const revision = async (words: object = TWO_DAYS) => (await exportUsage(context, words)).revision;
    const first = await revision();
    expect(await revision()).toBe(first);
    expect(await revision({ ...TWO_DAYS, granularity: 'hour' })).not.toBe(first);
    expect(await revision({ ...TWO_DAYS, end_date: '2026-03-02' })).not.toBe(first);
    const ofSecond = await revision({ site_id: second.id });
    await countUsage(app, [usageRow(context.organization.id, { siteId: site.id }, { requests: 1 })]);
    expect(await revision()).not.toBe(first);
    expect(await revision({ site_id: second.id })).toBe(ofSecond);
    // A browser requests the same address in every organization.
    const empty = { start_date: '2025-06-01', end_date: '2025-06-30' };
    expect((await exportUsage(stranger, empty)).revision).not.toBe(await revision(empty));
  });

  it('has only the sites of a credential’s scopes, and never those of another organization', async () => {
    const { context, stranger, site, second, endpoint } = await withUsage();
    const namesIn = async (who: typeof context) =>
      (await linesOf(await exportUsage(who, { period: 'day' }))).slice(1).map((line) => line.split(',')[3]);
    expect(await namesIn(stranger)).toEqual(['Shop']);
    const program = credentialContext(context, [second.id]);
    expect(await namesIn(program)).toEqual(['Manual']);
    await expect(exportUsage(program, { site_id: site.id })).rejects.toMatchObject({ code: 'out_of_scope' });
    await expect(exportUsage(stranger, { cdn_endpoint_id: endpoint.id })).rejects.toMatchObject({
      code: 'endpoint_not_found',
    });
    const nobody = { ...context, actor: { kind: 'anonymous' as const } };
    await expect(exportUsage(nobody, {})).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});
