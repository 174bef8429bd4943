import { describe, expect, it } from 'vitest';
import { toAppError } from '#server/errors.ts';
import { auditRows } from '#tests/support/app/audit.ts';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson, joinOrganization } from '#tests/support/app/test-person.ts';
import { SANDBOX_BILLING } from '#tests/support/billing/billing.ts';
import { createSite } from './create-site.ts';
import { deleteSite } from './delete-site.ts';
import { getSite } from './get-site.ts';

describe('createSite', () => {
  it.each(['blog\u0000', 'blog\nblog', 'blog\u001b[31m', 'blog\u0085'])(
    'refuses the name %j',
    async (name) => {
      const { context } = await createTestPerson(await createTestApp());
      const refused = createSite(context, { name }).catch(toAppError);
      expect(await refused).toMatchObject({ code: 'invalid_input', fields: [{ path: 'name' }] });
    },
  );

  it('keeps the name as typed, derives the address, records it and tells the edges', async () => {
    const app = await createTestApp();
    const { context } = await createTestPerson(app);
    const announced: unknown[] = [];
    app.edgeChanges.subscribe((change) => announced.push(change));
    const site = await createSite(context, { name: '  Café du Nord ' });
    expect(site).toMatchObject({
      name: 'Café du Nord',
      type: 'static',
      subdomain: 'cafdunord',
      subdomain_url: 'http://cafdunord.sites.localhost:8080',
      current_version_id: null,
      deployed_at: null,
      spa_fallback: false,
      endpoint_count: 0,
      created_at: '2026-03-01T12:00:00.000Z',
    });
    expect(await getSite(context, { site_id: site.id })).toEqual(site);
    expect(announced).toEqual([{ site_id: site.id, hostname: 'cafdunord.sites.localhost' }]);
    expect(await auditRows(context, site.id)).toEqual([
      expect.objectContaining({
        action: 'site.create',
        actor_kind: 'person',
        before: null,
        after: { name: 'Café du Nord', subdomain: 'cafdunord' },
      }),
    ]);
  });

  it.each(['', '   ', '日本', '-- --'])('refuses a name that leaves no address: %j', async (name) => {
    const { context } = await createTestPerson(await createTestApp());
    await expect(createSite(context, { name })).rejects.toMatchObject({ code: 'site_name_empty' });
  });

  it('refuses a reserved name and suggests a free one', async () => {
    const { context } = await createTestPerson(await createTestApp());
    await createSite(context, { name: 'www-site' });
    await expect(createSite(context, { name: 'WWW' })).rejects.toMatchObject({
      code: 'site_name_reserved',
      params: { name: 'www', suggestion: 'www-site-2' },
    });
  });

  it('refuses a name at which a service of the installation is, or above it, and suggests another', async () => {
    const environment = {
      SITES_DOMAIN: 'example.ca:8080',
      PUBLIC_URL: 'https://hosting.example.ca:3000',
      S3_URL: 'https://files.eu.example.ca',
      S3_DOMAIN: 'objects.example.ca:9000',
      CNAME_DOMAIN: 'targets.example.ca',
      ACME_ZONE: 'proofs.example.ca',
      DNS_NAME_SERVERS: 'ns.names.example.ca',
    };
    const { context } = await createTestPerson(await createTestApp({ environment }));
    for (const name of ['Hosting', 'eu', 'objects', 'targets', 'proofs', 'names']) {
      await expect(createSite(context, { name }), name).rejects.toMatchObject({
        code: 'site_name_reserved',
        params: { name: name.toLowerCase(), suggestion: `${name.toLowerCase()}-site` },
      });
    }
    expect((await createSite(context, { name: 'files' })).subdomain).toBe('files');
  });

  it('refuses a name that another organization has, with a suggestion that works', async () => {
    const app = await createTestApp();
    const first = await createTestPerson(app);
    const second = await createTestPerson(app);
    await createSite(first.context, { name: 'blog' });
    await createSite(first.context, { name: 'blog-2' });
    await expect(createSite(second.context, { name: 'Blog!' })).rejects.toMatchObject({
      code: 'site_name_taken',
      params: { name: 'blog', suggestion: 'blog-3' },
    });
    expect((await createSite(second.context, { name: 'blog-3' })).subdomain).toBe('blog-3');
  });

  it('keeps the name of a deleted site taken while it can be restored', async () => {
    const { context } = await createTestPerson(await createTestApp());
    const site = await createSite(context, { name: 'blog' });
    await deleteSite(context, { site_id: site.id });
    await expect(createSite(context, { name: 'blog' })).rejects.toMatchObject({ code: 'site_name_taken' });
  });

  it('gives a name to exactly one of many who ask at the same time', async () => {
    const app = await createTestApp();
    const people = await Promise.all([createTestPerson(app), createTestPerson(app)]);
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) =>
        createSite((people[index % 2] ?? people[0]).context, { name: 'blog' }),
      ),
    );
    const refusals = results.filter((result) => result.status === 'rejected');
    expect(refusals).toHaveLength(7);
    for (const refusal of refusals) expect(refusal.reason).toMatchObject({ code: 'site_name_taken' });
  });

  it('is refused to readers, to credentials and to other organizations', async () => {
    const app = await createTestApp();
    const owner = await createTestPerson(app);
    const reader = await joinOrganization(await createTestPerson(app), owner.organization.id, 'read');
    await expect(createSite(reader, { name: 'blog' })).rejects.toMatchObject({ code: 'permission_required' });
    const credential = credentialContext(owner.context, []);
    await expect(createSite(credential, { name: 'blog' })).rejects.toMatchObject({ code: 'person_required' });
    const writer = await joinOrganization(await createTestPerson(app), owner.organization.id, 'write');
    await expect(createSite(writer, { name: 'blog' })).resolves.toMatchObject({ subdomain: 'blog' });
  });

  it('requires billing unless billing is off', async () => {
    const { context } = await createTestPerson(await createTestApp({ environment: SANDBOX_BILLING }));
    await expect(createSite(context, { name: 'blog' })).rejects.toMatchObject({
      code: 'billing_required',
      status: 402,
    });
  });
});
