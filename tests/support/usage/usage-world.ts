import { DAY_MS } from '#server/durations.ts';
import { createSite } from '#server/services/sites/create-site.ts';
import { withTwoSites } from '../certificates/endpoints.ts';
import { countUsage, usageRow } from './usage-batches.ts';

/**
 * An organization with traffic: its first site at its platform names and at an endpoint, its second site at
 * its platform names, and a redirect; and another organization's site. The clock is at 2026-03-01T12:00:00Z.
 */
export async function withUsage() {
  const world = await withTwoSites();
  const { app, context, site, stranger, theirSite } = world;
  const second = await createSite(context, { name: 'Manual' });
  const endpoint = await world.claim();
  const redirect = await world.redirect('old.example.ca', 'https://www.example.ca/');
  const now = app.clock.now();
  const { id } = context.organization;
  const served = (bytes_sent: number, path: string) => ({
    bytes_sent,
    requests: 2,
    cache_hits: 1,
    cache_misses: 1,
    status_2xx: 1,
    status_4xx: 1,
    paths: [[path, 2, bytes_sent]] as [string, number, number][],
  });
  const everything = [
    usageRow(id, { siteId: site.id }, served(100, '/')),
    usageRow(id, { endpointId: endpoint.id, siteId: site.id }, served(1_000, '/big.js')),
    usageRow(id, { siteId: second.id }, served(10_000, '/docs')),
    usageRow(id, { endpointId: redirect.id }, { bytes_sent: 100_000, requests: 1, status_3xx: 1 }),
    usageRow(stranger.organization.id, { siteId: theirSite.id }, served(1_000_000, '/theirs')),
  ];
  await countUsage(app, everything, now - DAY_MS);
  await countUsage(app, everything, now);
  return { ...world, second, endpoint, redirect };
}
