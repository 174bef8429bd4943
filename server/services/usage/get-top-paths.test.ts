import { describe, expect, it } from 'vitest';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import { countUsage, usageRow } from '#tests/support/usage/usage-batches.ts';
import { withUsage } from '#tests/support/usage/usage-world.ts';
import { getTopPaths, SERIES_MAX } from './get-top-paths.ts';

const TWO_DAYS = { start_date: '2026-02-28', end_date: '2026-03-01' };

describe('the most requested files', () => {
  it('are summed over days, endpoints and sites, most bytes first', async () => {
    const { app, context, site } = await withUsage();
    const more = usageRow(context.organization.id, { siteId: site.id }, { paths: [['/docs', 1, 5]] });
    await countUsage(app, [more]);
    expect(await getTopPaths(context, TWO_DAYS)).toEqual({
      ...TWO_DAYS,
      paths: [
        { path: '/docs', total_requests: 5, total_bytes_sent: 20_005 },
        { path: '/big.js', total_requests: 4, total_bytes_sent: 2_000 },
        { path: '/', total_requests: 4, total_bytes_sent: 200 },
      ],
    });
  });

  it('are filtered by site or endpoint, and limited in number', async () => {
    const { context, site, endpoint } = await withUsage();
    const pathsOf = async (words: object) =>
      (await getTopPaths(context, { ...TWO_DAYS, ...words })).paths.map(({ path }) => path);
    expect(await pathsOf({ site_id: site.id })).toEqual(['/big.js', '/']);
    expect(await pathsOf({ cdn_endpoint_id: endpoint.id })).toEqual(['/big.js']);
    expect(await pathsOf({ limit: 1 })).toEqual(['/docs']);
    expect(await pathsOf({ start_date: '2026-01-01', end_date: '2026-02-27' })).toEqual([]);
  });

  it('are ordered by address for equal bytes', async () => {
    const { app, context, second } = await withUsage();
    const paths: [string, number, number][] = [
      ['/z', 1, 10_000],
      ['/a', 1, 10_000],
    ];
    await countUsage(app, [usageRow(context.organization.id, { siteId: second.id }, { paths })]);
    const listed = (await getTopPaths(context, { period: 'day', site_id: second.id })).paths;
    expect(listed.map(({ path }) => path)).toEqual(['/a', '/docs', '/z']);
  });

  it('never include those of another organization, or of sites outside a credential’s scopes', async () => {
    const { context, stranger, site, second, endpoint } = await withUsage();
    expect((await getTopPaths(stranger, {})).paths.map(({ path }) => path)).toEqual(['/theirs']);
    await expect(getTopPaths(stranger, { cdn_endpoint_id: endpoint.id })).rejects.toMatchObject({
      code: 'endpoint_not_found',
    });
    const program = credentialContext(context, [second.id]);
    expect((await getTopPaths(program, {})).paths.map(({ path }) => path)).toEqual(['/docs']);
    await expect(getTopPaths(program, { site_id: site.id })).rejects.toMatchObject({ code: 'out_of_scope' });
    const nobody = { ...context, actor: { kind: 'anonymous' as const } };
    await expect(getTopPaths(nobody, {})).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('are those of the hosts with most bytes when there are very many, and of any given host', async () => {
    const { app, context } = await withUsage();
    const rows = Array.from({ length: SERIES_MAX + 1 }, (_, at) =>
      usageRow(
        context.organization.id,
        { siteId: `host-${at}` },
        { bytes_sent: 1_000_000 + at, paths: [[`/of-${at}`, 1, 1_000_000 - at]] },
      ),
    );
    await countUsage(app, rows);
    const { paths } = await getTopPaths(context, { period: 'day', limit: 2 });
    expect(paths.map(({ path }) => path)).toEqual(['/of-1', '/of-2']);
    await app.db
      .insertInto('resource_lifetimes')
      .values({
        ...{ resource_id: 'host-0', resource_type: 'site', name: 'Zero', started_at: 0, ended_at: null },
        organization_id: context.organization.id,
      })
      .execute();
    const named = await getTopPaths(context, { period: 'day', site_id: 'host-0' });
    expect(named.paths.map(({ path }) => path)).toEqual(['/of-0']);
  });
});
