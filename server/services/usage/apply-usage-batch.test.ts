import { expect, it } from 'vitest';
import { createTestPerson } from '#tests/support/sign-in.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { createSite } from '../sites/create-site.ts';
import { applyUsageBatch } from './apply-usage-batch.ts';
import { exportUsage } from './export-usage.ts';
import { getTopPaths } from './get-top-paths.ts';
import { getUsageOverview } from './get-usage-overview.ts';
import { getUsageStats } from './get-usage-stats.ts';
import { hourOf } from './rules.ts';
import type { UsageBatch } from './schema.ts';

it('a batch that comes again changes nothing', async () => {
  const app = await createTestApp();
  const { context } = await createTestPerson(app);
  const site = await createSite(context, { name: 'Blog' });
  const batch: UsageBatch = {
    node_id: 'node',
    boot_id: 'boot',
    sequence: 1,
    hour: hourOf(app.clock.now()),
    rows: [
      {
        organization_id: context.organization.id,
        endpoint_id: null,
        site_id: site.id,
        bytes_sent: 100,
        requests: 2,
        cache_hits: 1,
        cache_misses: 1,
        status_2xx: 2,
        status_3xx: 0,
        status_4xx: 0,
        status_5xx: 0,
        refused_requests: 0,
        refused_bytes: 0,
        paths: [['/', 2, 100]],
      },
    ],
  };
  expect(await applyUsageBatch(app, batch)).toBe(true);
  expect(await applyUsageBatch(app, batch)).toBe(false);
  expect(await applyUsageBatch(app, { ...batch, sequence: 2 })).toBe(true);
  const stats = await getUsageStats(context, { period: 'month' });
  expect(stats.summary).toMatchObject({ total_bytes_sent: 200, total_requests: 4 });
  expect(stats.usage).toHaveLength(1);
  const overview = await getUsageOverview(context, { period: 'day' });
  expect(overview.summary).toEqual(stats.summary);
  expect(overview.points).toHaveLength(13);
  expect(overview.resources).toMatchObject([{ name: 'Blog', total_requests: 4, is_deleted: false }]);
  expect(overview.active_sites).toBe(1);
  const { paths } = await getTopPaths(context, {});
  expect(paths).toEqual([{ path: '/', total_requests: 4, total_bytes_sent: 200 }]);
  const { text } = await exportUsage(context, {});
  expect((await Array.fromAsync(text)).join('').split('\r\n')).toHaveLength(3);
});
