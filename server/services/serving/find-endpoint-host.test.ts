import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '#server/durations.ts';
import { markProven, withTwoSites } from '#tests/support/certificates/endpoints.ts';
import { updateEndpoint } from '../cdn/update-endpoint.ts';
import { findEndpointHost } from './find-endpoint-host.ts';
import { toEdgeHost } from './known-host.ts';

async function prepare() {
  const world = await withTwoSites();
  const endpoint = await world.claim();
  const { app } = world;
  await markProven(app, endpoint.id);
  return {
    ...world,
    endpoint,
    find: async (hostname = 'www.example.ca') => {
      const known = await findEndpointHost(app, hostname);
      return known && toEdgeHost(app, known);
    },
    certify: (validUntil: number | null) =>
      app.db
        .updateTable('certificate_bundles')
        .set({ valid_until: validUntil, issued_at: validUntil && app.clock.now() })
        .where('endpoint_id', '=', endpoint.id)
        .execute(),
  };
}

describe('findEndpointHost', () => {
  it('returns the site of a proven hostname, without https while there is no certificate', async () => {
    const { find, site, endpoint } = await prepare();
    expect(await find()).toEqual({
      kind: 'site',
      endpointId: endpoint.id,
      siteId: site.id,
      versionId: null,
      spaFallback: false,
      isHttpsOnly: false,
      strictTransportSeconds: 0,
      isSuspended: false,
      meter: null,
    });
  });

  it('returns nothing for a hostname that is not proven, and for an unknown one', async () => {
    const { app, find, claimElsewhere } = await prepare();
    await claimElsewhere('shop.example.ca');
    expect(await find('shop.example.ca')).toBeNull();
    expect(await find('nobody.example.ca')).toBeNull();
    expect(await findEndpointHost(app, "' or 1=1 --")).toBeNull();
  });

  it('uses https while the certificate is valid, and announces it to browsers only then', async () => {
    const { app, context, endpoint, find, certify } = await prepare();
    await updateEndpoint(context, { endpoint_id: endpoint.id, hsts: 'day' });
    expect(await find()).toMatchObject({ isHttpsOnly: false, strictTransportSeconds: 0 });
    await certify(app.clock.now() + HOUR_MS);
    expect(await find()).toMatchObject({ isHttpsOnly: true, strictTransportSeconds: 86_400 });
    await updateEndpoint(context, { endpoint_id: endpoint.id, hsts: 'year' });
    expect(await find()).toMatchObject({ isHttpsOnly: true, strictTransportSeconds: 31_536_000 });
    app.clock.advance(HOUR_MS);
    expect(await find()).toMatchObject({ isHttpsOnly: false, strictTransportSeconds: 0 });
  });

  it('returns where a redirect leads', async () => {
    const { app, redirect, find } = await prepare();
    const { id } = await redirect('old.example.ca', 'https://new.example.ca/base');
    await markProven(app, id);
    expect(await find('old.example.ca')).toMatchObject({
      kind: 'redirect',
      endpointId: id,
      target: 'https://new.example.ca/base',
    });
  });

  it('says so when the organization is suspended', async () => {
    const { app, context, find } = await prepare();
    await app.db
      .updateTable('organizations')
      .set({ suspended_at: app.clock.now() })
      .where('id', '=', context.organization.id)
      .execute();
    expect(await find()).toMatchObject({ isSuspended: true });
  });

  it('returns nothing for an origin that is not available, or whose site is gone', async () => {
    const { app, endpoint, site, find } = await prepare();
    await app.db.updateTable('sites').set({ deleted_at: 1 }).where('id', '=', site.id).execute();
    expect(await find()).toBeNull();
    await app.db
      .updateTable('cdn_endpoints')
      .set({ origin_type: 'http', site_id: null })
      .where('id', '=', endpoint.id)
      .execute();
    expect(await find()).toBeNull();
  });
});
