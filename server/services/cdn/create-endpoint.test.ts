import { describe, expect, it } from 'vitest';
import { auditRows } from '#tests/support/app/audit.ts';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import { createMember, createNamedOrganization } from '#tests/support/app/named-organization.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { atOnce } from '#tests/support/at-once.ts';
import { SANDBOX_BILLING } from '#tests/support/billing/billing.ts';
import { edgeChangesOf, withTwoSites } from '#tests/support/certificates/endpoints.ts';
import { createSite } from '../sites/create-site.ts';
import { deleteSite } from '../sites/delete-site.ts';
import { getSite } from '../sites/get-site.ts';
import { createEndpoint } from './create-endpoint.ts';
import { listEndpoints } from './list-endpoints.ts';

describe('createEndpoint', () => {
  it('puts a hostname in front of a site, with records to set and a bundle, and tells the edges', async () => {
    const world = await withTwoSites();
    const { app, context, site } = world;
    const announced = edgeChangesOf(world);
    const endpoint = await createEndpoint(context, {
      hostname: ' https://WWW.Example.ca/ ',
      site_id: site.id,
    });
    expect(endpoint).toMatchObject({
      hostname: 'www.example.ca',
      cname_target: expect.stringMatching(/^[a-z2-7]{20}\.edge\.localhost$/),
      origin_type: 'site',
      site_id: site.id,
      site_name: 'Blog',
      redirect_target: null,
      hsts: 'off',
      proven_at: null,
      url: 'http://www.example.ca:8080',
      bundle: {
        domain_name: 'www.example.ca',
        challenge_name: '_acme-challenge.www.example.ca',
        challenge_target: expect.stringMatching(/^[a-z2-7]{20}\.acme\.localhost$/),
        dns_validated: false,
        dns_challenge_validated: false,
        issued_at: null,
      },
    });
    expect(await listEndpoints(context, {})).toEqual([endpoint]);
    expect((await getSite(context, { site_id: site.id })).endpoint_count).toBe(1);
    expect(announced).toEqual([{ site_id: null, hostname: 'www.example.ca' }]);
    const bundle = await app.db.selectFrom('certificate_bundles').selectAll().executeTakeFirstOrThrow();
    expect(bundle).toMatchObject({ next_check_at: app.clock.now(), next_issue_at: null });
    expect(await auditRows(context, endpoint.id)).toMatchObject([
      {
        action: 'endpoint.create',
        before: null,
        after: { hostname: 'www.example.ca', origin_type: 'site', site_id: site.id, redirect_target: null },
      },
    ]);
  });

  it('gives each endpoint its own target and challenge', async () => {
    const { claim } = await withTwoSites();
    const [first, second] = [await claim('a.example.ca'), await claim('b.example.ca')];
    expect(first.cname_target).not.toBe(second.cname_target);
    expect(first.bundle?.dns_challenge_id).not.toBe(second.bundle?.dns_challenge_id);
  });

  it('treats a name of this machine as proven, so that its certificate is issued immediately', async () => {
    const { app, claim } = await withTwoSites();
    expect(await claim('shop.localhost')).toMatchObject({
      proven_at: '2026-03-01T12:00:00.000Z',
      bundle: { dns_validated: true, dns_challenge_validated: true },
    });
    const bundle = await app.db.selectFrom('certificate_bundles').selectAll().executeTakeFirstOrThrow();
    expect(bundle.next_issue_at).toBe(app.clock.now());
  });

  it('puts a hostname in front of a redirect, and drops what belongs to the other origin', async () => {
    const { context, site } = await withTwoSites();
    const endpoint = await createEndpoint(context, {
      hostname: 'old.example.ca',
      origin_type: 'redirect',
      site_id: site.id,
      redirect_target: 'https://WWW.example.ca/',
    });
    expect(endpoint).toMatchObject({
      origin_type: 'redirect',
      site_id: null,
      site_name: null,
      redirect_target: 'https://www.example.ca',
    });
  });

  it('refuses an origin that does not exist, with a specific message for each', async () => {
    const { app, context, site, theirSite } = await withTwoSites();
    const deleted = await createSite(context, { name: 'Deleted' });
    await deleteSite(context, { site_id: deleted.id });
    const hostname = 'www.example.ca';
    const wrong = [
      [{ hostname, origin_type: 'http', site_id: site.id }, 'origin_unavailable'],
      [{ hostname }, 'endpoint_site_required'],
      [{ hostname, site_id: null }, 'endpoint_site_required'],
      [{ hostname, site_id: 'unknown' }, 'site_not_found'],
      [{ hostname, site_id: deleted.id }, 'site_not_found'],
      [{ hostname, site_id: theirSite.id }, 'site_not_found'],
      [{ hostname, origin_type: 'redirect' }, 'redirect_target_required'],
      [{ hostname, origin_type: 'redirect', redirect_target: ' ' }, 'redirect_target_required'],
      [{ hostname, origin_type: 'redirect', redirect_target: '/blog' }, 'redirect_target_invalid'],
      [{ hostname: 'a_b.example.ca', site_id: site.id }, 'hostname_invalid'],
      [{ hostname: 'blog.sites.localhost', site_id: site.id }, 'hostname_reserved'],
    ] as const;
    for (const [input, code] of wrong) {
      await expect(createEndpoint(context, input), code).rejects.toMatchObject({ code });
    }
    await expect(createEndpoint(context, { hostname: '', site_id: site.id })).rejects.toThrow();
    expect(await app.db.selectFrom('cdn_endpoints').select('id').execute()).toEqual([]);
    expect(await app.db.selectFrom('certificate_bundles').select('id').execute()).toEqual([]);
  });

  it('refuses members who only read, and accepts a credential only for sites that it can write', async () => {
    const { app, context, site } = await withTwoSites();
    const organization = await createNamedOrganization(await createTestPerson(app));
    const reader = (await createMember(organization, 'read')).context;
    const input = { hostname: 'www.example.ca', site_id: site.id };
    await expect(createEndpoint(reader, input)).rejects.toMatchObject({ code: 'permission_required' });
    const other = await createSite(context, { name: 'Other' });
    for (const credential of [
      credentialContext(context, [other.id]),
      credentialContext(context, [site.id], ['read']),
      credentialContext(context, []),
    ]) {
      await expect(createEndpoint(credential, input)).rejects.toMatchObject({ code: 'out_of_scope' });
    }
    const credential = credentialContext(context, [site.id]);
    await expect(
      createEndpoint(credential, {
        hostname: 'www.example.ca',
        origin_type: 'redirect',
        redirect_target: 'https://example.ca',
      }),
    ).rejects.toMatchObject({ code: 'person_required' });
    expect(await createEndpoint(credential, input)).toMatchObject({ hostname: 'www.example.ca' });
  });

  it('requires billing when it is on', async () => {
    const { context, site } = await withTwoSites();
    const { payments } = await createTestApp({ environment: SANDBOX_BILLING });
    const billed = { ...context, app: { ...context.app, payments } };
    const input = { hostname: 'www.example.ca', site_id: site.id };
    await expect(createEndpoint(billed, input)).rejects.toMatchObject({ code: 'billing_required' });
  });

  it('adds nothing to an organization that is gone', async () => {
    const { app, context, claim } = await withTwoSites();
    await app.db
      .updateTable('organizations')
      .set({ detached_at: app.clock.now() })
      .where('id', '=', context.organization.id)
      .execute();
    await expect(claim()).rejects.toMatchObject({ code: 'organization_not_found' });
  });

  it('never leaves an endpoint at a site that is deleted at the same time', async () => {
    const { app, context, site, claim } = await withTwoSites();
    const [created, deleted] = await atOnce<unknown>(app, [
      () => claim(),
      () => deleteSite(context, { site_id: site.id }),
    ]);
    const isCreated = created?.status === 'fulfilled';
    expect(deleted).toMatchObject(
      isCreated ? { reason: { code: 'site_has_endpoints' } } : { status: 'fulfilled' },
    );
    if (!isCreated) expect(created).toMatchObject({ reason: { code: 'site_not_found' } });
    expect(await listEndpoints(context, {})).toHaveLength(isCreated ? 1 : 0);
  });
});
