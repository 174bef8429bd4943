import { describe, expect, it } from 'vitest';
import { createRateLimits } from '#server/limits/rate-limits.ts';
import { auditRows } from '#tests/support/app/audit.ts';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import {
  createMember,
  createNamedOrganization,
  suspendOrganization,
} from '#tests/support/app/named-organization.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { atOnce } from '#tests/support/at-once.ts';
import { withDns } from '#tests/support/dns/dns-world.ts';
import { createEndpoint } from '../cdn/create-endpoint.ts';
import { validateBundle } from './validate-bundle.ts';

describe('validateBundle', () => {
  it('inspects the records now, stores and returns the result, and records who asked', async () => {
    const { context, bundle, endpoint, delegate, point, row } = await withDns();
    const bundle_id = bundle.id;
    expect(await validateBundle(context, { bundle_id })).toMatchObject({
      id: bundle.id,
      dns_validated: false,
      dns_challenge_validated: false,
      checked_at: '2026-03-01T12:00:00.000Z',
    });
    delegate();
    point();
    expect(await validateBundle(context, { bundle_id })).toMatchObject({
      dns_validated: true,
      dns_challenge_validated: true,
      next_attempt_at: '2026-03-01T12:00:00.000Z',
    });
    expect(await row()).toMatchObject({ dns_challenge_validated_at: context.app.clock.now() });
    const rows = await auditRows(context, endpoint.id);
    expect(rows.slice(1)).toMatchObject([
      {
        action: 'certificate.validate',
        after: { hostname: 'www.example.ca', dns_validated: false, dns_challenge_validated: false },
      },
      { action: 'certificate.validate', after: { dns_validated: true, dns_challenge_validated: true } },
    ]);
  });

  it.each([
    ['timeout', 'no name server responds'],
    ['failed', 'its name servers fail'],
  ] as const)('says so when the challenge record cannot be looked up (%s)', async (failure, reason) => {
    const { context, dns, bundle, endpoint, delegate, row } = await withDns();
    delegate();
    await validateBundle(context, { bundle_id: bundle.id });
    const known = await auditRows(context, endpoint.id);
    dns.set(bundle.challenge_name, { failure });
    await expect(validateBundle(context, { bundle_id: bundle.id })).rejects.toMatchObject({
      code: 'dns_unavailable',
      params: { name: bundle.challenge_name, reason },
    });
    expect((await row()).dns_challenge_validated_at).not.toBeNull();
    expect(await auditRows(context, endpoint.id)).toEqual(known);
  });

  it('is for those who manage certificates, while their organization is not suspended', async () => {
    const { app } = await withDns();
    const owner = await createTestPerson(app);
    const context = await createNamedOrganization(owner);
    const made = await createEndpoint(context, {
      hostname: 'shop.example.ca',
      origin_type: 'redirect',
      redirect_target: 'https://example.com/',
    });
    const bundle_id = made.bundle?.id ?? '';
    const reader = await createMember(context, 'read');
    await expect(validateBundle(reader.context, { bundle_id })).rejects.toMatchObject({
      code: 'permission_required',
    });
    const writer = await createMember(context, 'write');
    await validateBundle(writer.context, { bundle_id });
    await suspendOrganization(context);
    const suspended = { ...context, organization: { ...context.organization, isSuspended: true } };
    await expect(validateBundle(suspended, { bundle_id })).rejects.toMatchObject({
      code: 'organization_suspended',
    });
  });

  it('does not exist for other organizations, and credentials reach those of their sites', async () => {
    const { context, stranger, bundle, site } = await withDns();
    const bundle_id = bundle.id;
    await expect(validateBundle(stranger, { bundle_id })).rejects.toMatchObject({ code: 'bundle_not_found' });
    await validateBundle(credentialContext(context, [site.id]), { bundle_id });
    await expect(
      validateBundle(credentialContext(context, [site.id], ['read']), { bundle_id }),
    ).rejects.toMatchObject({ code: 'out_of_scope' });
    await expect(validateBundle(credentialContext(context, []), { bundle_id })).rejects.toMatchObject({
      code: 'out_of_scope',
    });
  });

  it('does not let one organization flood the resolvers', async () => {
    const { context, bundle, dns } = await withDns('www.example.ca', {
      rateLimits: createRateLimits({ dns_inspection_organization: { points: 2, seconds: 60 } }),
    });
    let asked = 0;
    const { cname } = dns;
    dns.cname = (name) => {
      asked += 1;
      return cname(name);
    };
    const bundle_id = bundle.id;
    await validateBundle(context, { bundle_id });
    await validateBundle(context, { bundle_id });
    const before = asked;
    await expect(validateBundle(context, { bundle_id })).rejects.toMatchObject({ code: 'too_many_requests' });
    expect(asked).toBe(before);
  });

  it('twice at the same time returns the same, and the edges are told once', async () => {
    const { app, context, bundle, delegate, row } = await withDns();
    const announced: unknown[] = [];
    app.edgeChanges.subscribe((change) => announced.push(change));
    delegate();
    const bundle_id = bundle.id;
    const results = await atOnce(
      app,
      [1, 2, 3].map(() => () => validateBundle(context, { bundle_id })),
    );
    expect(
      results.map((result) => result.status === 'fulfilled' && result.value.dns_challenge_validated),
    ).toEqual([true, true, true]);
    expect(announced).toHaveLength(1);
    expect((await row()).next_issue_at).toBe(app.clock.now());
  });
});
