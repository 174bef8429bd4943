import { describe, expect, it } from 'vitest';
import { createRateLimits } from '#server/limits/rate-limits.ts';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import { createMember, createNamedOrganization } from '#tests/support/app/named-organization.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { withDns } from '#tests/support/dns/dns-world.ts';
import { createEndpoint } from '../cdn/create-endpoint.ts';
import { getDnsReport } from './get-dns-report.ts';

/** Counts the inspections by the one question that each asks once. */
function countLooks({ dns, bundle }: Pick<Awaited<ReturnType<typeof withDns>>, 'dns' | 'bundle'>) {
  const count = { looks: 0 };
  const { cname } = dns;
  dns.cname = (name) => {
    if (name === bundle.challenge_name) count.looks += 1;
    return cname(name);
  };
  return count;
}

describe('getDnsReport', () => {
  it('inspects now and stores the report; a report of a moment ago is returned again', async () => {
    const world = await withDns();
    const { app, context, bundle, delegate, row } = world;
    const count = countLooks(world);
    const bundle_id = bundle.id;
    const first = await getDnsReport(context, { bundle_id });
    expect(first).toMatchObject({ hostname: 'www.example.ca', is_delegated: false });
    expect(JSON.parse((await row()).dns_report ?? '')).toEqual(first);
    delegate();
    expect(await getDnsReport(context, { bundle_id })).toEqual(first);
    app.clock.advance(3_000);
    expect(await getDnsReport(context, { bundle_id })).toMatchObject({ is_delegated: true });
    expect((await row()).next_issue_at).toBe(app.clock.now());
    expect(count.looks).toBe(2);
  });

  it('inspects once for all who ask at the same time', async () => {
    const world = await withDns();
    const { context, bundle } = world;
    const count = countLooks(world);
    const reports = await Promise.all(
      Array.from({ length: 20 }, () => getDnsReport(context, { bundle_id: bundle.id })),
    );
    for (const report of reports) expect(report).toEqual(reports[0]);
    expect(count.looks).toBe(1);
  });

  it('does not fail when the DNS does', async () => {
    const { context, bundle, dns } = await withDns();
    for (const name of ['www.example.ca', bundle.challenge_name, 'example.ca']) {
      dns.set(name, { failure: 'timeout' });
    }
    const { facts } = await getDnsReport(context, { bundle_id: bundle.id });
    expect(facts.map(({ status }) => status)).toEqual(['unknown', 'unknown', 'ok']);
  });

  it('returns what it knows when an organization asks too often', async () => {
    const world = await withDns('www.example.ca', {
      rateLimits: createRateLimits({ dns_inspection_organization: { points: 1, seconds: 60 } }),
    });
    const { app, context, bundle, claim } = world;
    const first = await getDnsReport(context, { bundle_id: bundle.id });
    app.clock.advance(60_000);
    expect(await getDnsReport(context, { bundle_id: bundle.id })).toEqual(first);
    const other = await claim('other.example.ca');
    await expect(getDnsReport(context, { bundle_id: other.bundle?.id ?? '' })).rejects.toMatchObject({
      code: 'too_many_requests',
    });
  });

  it('inspects again when the stored report has another shape', async () => {
    const { app, context, bundle } = await withDns();
    await app.db
      .updateTable('certificate_bundles')
      .set({ dns_report: JSON.stringify({ checked_at: '2026-03-01T12:00:00.000Z', facts: [] }) })
      .execute();
    expect((await getDnsReport(context, { bundle_id: bundle.id })).facts).toHaveLength(3);
  });

  it('is for everyone in the organization and no one else', async () => {
    const { app, context, stranger, bundle, site } = await withDns();
    const bundle_id = bundle.id;
    await expect(getDnsReport(stranger, { bundle_id })).rejects.toMatchObject({ code: 'bundle_not_found' });
    await getDnsReport(credentialContext(context, [site.id], ['read']), { bundle_id });
    await expect(getDnsReport(credentialContext(context, []), { bundle_id })).rejects.toMatchObject({
      code: 'out_of_scope',
    });
    const shared = await createNamedOrganization(await createTestPerson(app));
    const made = await createEndpoint(shared, {
      hostname: 'shop.example.ca',
      origin_type: 'redirect',
      redirect_target: 'https://example.com/',
    });
    const reader = await createMember(shared, 'read');
    const report = await getDnsReport(reader.context, { bundle_id: made.bundle?.id ?? '' });
    expect(report.hostname).toBe('shop.example.ca');
  });
});
