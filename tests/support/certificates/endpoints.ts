import type { App, OrganizationContext } from '#server/context.ts';
import { createEndpoint } from '#server/services/cdn/create-endpoint.ts';
import { createSite } from '#server/services/sites/create-site.ts';
import { createTestApp } from '../app/test-app.ts';
import { createTestPerson } from '../app/test-person.ts';

/** An organization with a site, another organization with a site, and the hostname both want. */
export async function withTwoSites(overrides: Parameters<typeof createTestApp>[0] = {}) {
  const app = await createTestApp(overrides);
  const { context } = await createTestPerson(app);
  const stranger = await createTestPerson(app);
  const site = await createSite(context, { name: 'Blog' });
  const theirSite = await createSite(stranger.context, { name: 'Shop' });
  return {
    app,
    context,
    site,
    stranger: stranger.context,
    theirSite,
    /** Puts our site at a hostname. */
    claim: (hostname = 'www.example.ca') => createEndpoint(context, { hostname, site_id: site.id }),
    /** Puts the other organization's site there. */
    claimElsewhere: (hostname = 'www.example.ca') =>
      createEndpoint(stranger.context, { hostname, site_id: theirSite.id }),
    redirect: (hostname: string, redirect_target: string) =>
      createEndpoint(context, { hostname, origin_type: 'redirect', redirect_target }),
  };
}

/** Marks the hostname of an endpoint as proven, like finding its record does. */
export async function markProven(app: App, endpointId: string): Promise<void> {
  await app.db
    .updateTable('cdn_endpoints')
    .set({ proven_at: app.clock.now() })
    .where('id', '=', endpointId)
    .execute();
}

/** Collects the changes sent to edges from now on. */
export function edgeChangesOf({ app }: Pick<OrganizationContext, 'app'>): unknown[] {
  const announced: unknown[] = [];
  app.edgeChanges.subscribe((change) => announced.push(change));
  return announced;
}
