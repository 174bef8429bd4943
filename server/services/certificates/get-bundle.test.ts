import { describe, expect, it } from 'vitest';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import { markIssued, withDns } from '#tests/support/dns/dns-world.ts';
import { getBundle } from './get-bundle.ts';
import { bundleSchema } from './schema.ts';

describe('getBundle', () => {
  it('shows the records to set, what is known about them, and nothing secret', async () => {
    const { app, context, bundle } = await withDns();
    const found = await getBundle(context, { bundle_id: bundle.id });
    expect(found).toEqual(bundle);
    expect(bundleSchema.strict().parse(found)).toMatchObject({
      domain_name: 'www.example.ca',
      registered_domain: 'example.ca',
      challenge_name: '_acme-challenge.www.example.ca',
      challenge_target: `${bundle.dns_challenge_id}.acme.portage.example`,
      checked_at: null,
      issued_at: null,
      problem: null,
      step: null,
    });
    await markIssued(app, bundle.id, 86_400_000);
    await app.db
      .updateTable('certificate_bundles')
      .set({ certificate: 'PEM', private_key_sealed: 'sealed', failure_code: 'refused', failed_at: 0 })
      .execute();
    const issued = await getBundle(context, { bundle_id: bundle.id });
    expect(bundleSchema.strict().parse(issued)).toMatchObject({
      issued_at: '2026-03-01T12:00:00.000Z',
      valid_until: '2026-03-02T12:00:00.000Z',
      problem: { code: 'refused', detail: null, at: '1970-01-01T00:00:00.000Z' },
    });
  });

  it('does not exist for other organizations, and credentials reach those of their sites', async () => {
    const { context, stranger, bundle, site, redirect } = await withDns();
    const bundle_id = bundle.id;
    await expect(getBundle(stranger, { bundle_id })).rejects.toMatchObject({ code: 'bundle_not_found' });
    expect((await getBundle(credentialContext(context, [site.id], ['read']), { bundle_id })).id).toBe(
      bundle_id,
    );
    await expect(getBundle(credentialContext(context, []), { bundle_id })).rejects.toMatchObject({
      code: 'out_of_scope',
    });
    const elsewhere = await redirect('old.example.ca', 'https://example.com/');
    await expect(
      getBundle(credentialContext(context, [site.id]), { bundle_id: elsewhere.bundle?.id ?? '' }),
    ).rejects.toMatchObject({ code: 'bundle_not_found' });
  });
});
