import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { OrganizationContext } from '#server/context.ts';
import { HOUR_MS } from '#server/durations.ts';
import { newId } from '#server/ids.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { usageBatch, usageRow } from '#tests/support/usage/usage-batches.ts';
import { applyUsageBatch } from './apply-usage-batch.ts';
import { exportUsage } from './export-usage.ts';
import { getUsageOverview } from './get-usage-overview.ts';
import { getUsageStats } from './get-usage-stats.ts';
import { pruneUsage } from './prune-usage.ts';
import { COUNTERS, HOURS_KEPT_MS } from './rules.ts';
import type { UsageBatch, UsageBatchRow, UsageTotals } from './schema.ts';
import { noTotals, sumTotals, TOTAL_NAMES } from './totals.ts';

const count = fc.oneof(fc.nat(3), fc.nat(2 ** 40));
const counters = fc.tuple(...COUNTERS.map(() => count));
const series = fc.constantFrom(
  { endpointId: 'a', siteId: 'one' },
  { endpointId: 'a', siteId: 'two' },
  { endpointId: 'b', siteId: null },
  { endpointId: null, siteId: 'one' },
);
/**
 * A batch, how many hours ago it was counted, whether it is repeated, and whether its node restarts after it.
 */
const delivery = fc.record({
  hoursAgo: fc.nat(40),
  rows: fc.array(fc.record({ series, counters }), { maxLength: 4 }),
  node: fc.constantFrom('east', 'west'),
  isRepeated: fc.boolean(),
  isLateRepeat: fc.boolean(),
  isRestarted: fc.boolean(),
});

function toRow(
  organizationId: string,
  whose: { endpointId: string | null; siteId: string | null },
  values: number[],
) {
  const counted = Object.fromEntries(COUNTERS.map((name, at) => [name, values[at] ?? 0]));
  return usageRow(organizationId, whose, counted as Partial<UsageBatchRow>);
}

function totalsOf(row: Record<(typeof COUNTERS)[number], number>): UsageTotals {
  const totals = { ...noTotals };
  TOTAL_NAMES.forEach((name, at) => {
    totals[name] = row[COUNTERS[at] ?? 'requests'];
  });
  return totals;
}

/** The sums of the lines of a CSV. */
async function sumOfCsv(context: OrganizationContext, granularity: 'day' | 'hour'): Promise<UsageTotals> {
  const { text } = await exportUsage(context, { start_date: '2026-02-20', granularity });
  const [head, ...lines] = (await Array.fromAsync(text)).join('').trimEnd().split('\r\n');
  const names = head?.split(',') ?? [];
  return sumTotals(
    lines.map((line) => {
      const fields = line.split(',');
      const totals = { ...noTotals };
      for (const name of TOTAL_NAMES) totals[name] = Number(fields[names.indexOf(name)]);
      return totals;
    }),
  );
}

it('in any order, and with any repeats, every way of adding it up returns what was counted', async () => {
  const app = await createTestApp();
  let people = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(delivery, { minLength: 1, maxLength: 8 }), async (deliveries) => {
      people += 1;
      const { context } = await createTestPerson(app, { subject: `property-${people}` });
      const organizationId = context.organization.id;
      const boots = new Map<string, { boot_id: string; sequence: number }>();
      const sent: UsageBatch[] = [];
      const wanted: UsageTotals[] = [];
      for (const { hoursAgo, rows, node, isRepeated, isLateRepeat, isRestarted } of deliveries) {
        const known = boots.get(node);
        const run = isRestarted || !known ? { boot_id: newId(), sequence: 0 } : known;
        run.sequence += 1;
        boots.set(node, run);
        const counted = rows.map((row) => toRow(organizationId, row.series, [...row.counters]));
        const batch = usageBatch(app.clock.now() - hoursAgo * HOUR_MS, counted, { node_id: node, ...run });
        expect(await applyUsageBatch(app, batch)).toBe(true);
        wanted.push(...counted.map(totalsOf));
        sent.push(batch);
        if (isRepeated) expect(await applyUsageBatch(app, batch)).toBe(false);
        const earlier = sent[0];
        if (isLateRepeat && earlier) expect(await applyUsageBatch(app, earlier)).toBe(false);
      }
      const total = sumTotals(wanted);
      const sumOf = async (table: 'usage_hours' | 'usage_days') => {
        const stored = await app.db
          .selectFrom(table)
          .innerJoin('usage_series', 'usage_series.id', `${table}.series_id`)
          .selectAll(table)
          .where('organization_id', '=', organizationId)
          .execute();
        return sumTotals(stored.map(totalsOf));
      };
      expect(await sumOf('usage_hours')).toEqual(total);
      expect(await sumOf('usage_days')).toEqual(total);
      const range = { start_date: '2026-02-20' };
      const stats = await getUsageStats(context, range);
      expect(stats.summary).toEqual(total);
      expect(sumTotals(stats.usage)).toEqual(total);
      const overview = await getUsageOverview(context, range);
      expect(overview.summary).toEqual(total);
      expect(sumTotals(overview.points)).toEqual(total);
      expect(sumTotals(overview.resources)).toEqual(total);
      expect(await sumOfCsv(context, 'day')).toEqual(total);
      expect(await sumOfCsv(context, 'hour')).toEqual(total);
      const hourly = await getUsageStats(context, { start_date: '2026-02-27', granularity: 'hour' });
      expect(hourly.summary).toEqual(total);
      const short = await getUsageOverview(context, { start_date: '2026-02-28' });
      const days = await getUsageStats(context, { start_date: '2026-02-28' });
      expect([short.granularity, sumTotals(short.points), short.summary]).toEqual([
        'hour',
        days.summary,
        days.summary,
      ]);
    }),
    { numRuns: 12 },
  );
  app.clock.advance(HOURS_KEPT_MS + 48 * HOUR_MS);
  const { hours } = await pruneUsage({
    app,
    actor: { kind: 'job', name: 'test' },
    requestId: 'r',
    address: '',
  });
  expect(hours).toBeGreaterThan(0);
  expect(await app.db.selectFrom('usage_hours').selectAll().execute()).toEqual([]);
  const days = await app.db.selectFrom('usage_days').select('requests').execute();
  expect(days.length).toBeGreaterThan(0);
});
