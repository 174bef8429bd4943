import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { FakeAuthority } from '#tests/support/certificates/fake-authority.ts';
import { FakeLookup } from '#tests/support/dns/fake-lookup.ts';
import { inspectBundle } from './inspection/inspect-bundle.ts';
import { issueDueCertificates } from './issue-due-certificates.ts';
import { listCertificatesForOperator } from './list-certificates-for-operator.ts';
import { ensurePlatformBundle } from './platform-bundle.ts';

const bundlesOf = (app: TestApp) => app.db.selectFrom('certificate_bundles').selectAll().execute();
const jobContext = (app: TestApp) =>
  ({ app, actor: { kind: 'job', name: 'issue-certificates' }, requestId: '', address: '' }) as const;

describe('the certificate of the platform', () => {
  it('covers every site, and the authority of this installation issues it at once', async () => {
    const app = await createTestApp();
    await Promise.all([ensurePlatformBundle(app), ensurePlatformBundle(app)]);
    await ensurePlatformBundle(app);
    expect(await bundlesOf(app)).toMatchObject([
      { domain_name: '*.sites.localhost', organization_id: null, endpoint_id: null },
    ]);
    expect(await issueDueCertificates(jobContext(app))).toMatchObject({ issued: 1 });
    const [row] = await bundlesOf(app);
    const leaf = new X509Certificate(row?.certificate ?? '');
    expect(leaf.checkHost('blog.sites.localhost')).toBe('*.sites.localhost');
  });

  it('waits at an ACME server for the operator’s record, which the list of certificates names', async () => {
    const authority = new FakeAuthority();
    const lookup = new FakeLookup();
    const app = await createTestApp({
      authority,
      lookup,
      challengeUpdates: { put: async (id, txt) => lookup.set(`${id}.acme.example.net`, { txt: [...txt] }) },
      environment: { SITES_DOMAIN: 'sites.example.net', ACME_ZONE: 'acme.example.net' },
    });
    await ensurePlatformBundle(app);
    expect(await issueDueCertificates(jobContext(app))).toEqual({ issued: 0, failed: 0, left: 0 });
    const { platform } = await listCertificatesForOperator(operatorContext(app, 'read'));
    const [certificate] = platform;
    expect(certificate).toMatchObject({
      domain_name: '*.sites.example.net',
      challenge_name: '_acme-challenge.sites.example.net',
      challenge_target: expect.stringMatching(/^[a-z2-7]{20}\.acme\.example\.net$/),
      dns_challenge_validated: false,
      valid_until: null,
    });
    lookup.set(certificate?.challenge_name ?? '', { cname: certificate?.challenge_target ?? '' });
    await app.db.updateTable('certificate_bundles').set({ next_issue_at: app.clock.now() }).execute();
    expect(await issueDueCertificates(jobContext(app))).toMatchObject({ issued: 1 });
    const [row] = await bundlesOf(app);
    expect(new X509Certificate(row?.certificate ?? '').subjectAltName).toBe('DNS:*.sites.example.net');
  });

  it('says what is in its way before anything was ordered', async () => {
    const lookup = new FakeLookup();
    const environment = { SITES_DOMAIN: 'sites.example.net', ACME_ZONE: 'acme.example.net' };
    const app = await createTestApp({ authority: new FakeAuthority(), lookup, environment });
    await ensurePlatformBundle(app);
    const [{ id = '', dns_challenge_id = '' } = {}] = await bundlesOf(app);
    const look = async () => {
      await inspectBundle(jobContext(app), id);
      return (await listCertificatesForOperator(operatorContext(app, 'read'))).platform;
    };
    const name = '_acme-challenge.sites.example.net';
    expect(await look()).toMatchObject([{ problem: 'challenge_missing', detail: name }]);
    lookup.set(name, { cname: `${dns_challenge_id}.acme.example.net` });
    lookup.set('acme.example.net', { failure: 'failed' });
    expect(await look()).toMatchObject([{ problem: 'challenge_invisible', detail: name }]);
  });

  it('is not requested from an ACME server for names of this machine', async () => {
    const app = await createTestApp({ authority: new FakeAuthority() });
    await ensurePlatformBundle(app);
    expect(await bundlesOf(app)).toEqual([]);
  });
});
