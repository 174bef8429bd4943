import type { CertificateAuthority } from '#server/certificate-authority/authority.ts';
import type { App } from '#server/context.ts';
import { inspectBundle } from '#server/services/certificates/inspection/inspect-bundle.ts';
import { factOf } from '#server/services/certificates/inspection/inspection-rules.ts';
import type { DnsFact } from '#server/services/certificates/schema.ts';
import { jobContext } from '../app/job-context.ts';
import { withTwoSites } from '../certificates/endpoints.ts';
import { FakeLookup } from './fake-lookup.ts';

/** Our public addresses in these tests. */
export const EDGE_IPV4 = '203.0.113.10';
export const EDGE_IPV6 = '2001:db8::10';

/**
 * One of our endpoints for `www.example.ca` (or another name), and the public DNS under the test's control.
 */
export async function withDns(
  hostname = 'www.example.ca',
  overrides: Parameters<typeof withTwoSites>[0] = {},
) {
  const dns = new FakeLookup();
  const { environment, ...rest } = overrides;
  const world = await withTwoSites({
    lookup: dns,
    environment: {
      CNAME_DOMAIN: 'edge.portage.example',
      ACME_ZONE: 'acme.portage.example',
      EDGE_ADDRESSES: `${EDGE_IPV4},${EDGE_IPV6}`,
      ...environment,
    },
    ...rest,
  });
  dns.set('example.ca', { soa: 'ns1.example.ca' });
  dns.set('acme.portage.example', { soa: 'ns1.portage.example' });
  const endpoint = await world.claim(hostname);
  const { bundle } = endpoint;
  if (!bundle) throw new Error('an endpoint has a bundle');
  return {
    ...world,
    dns,
    endpoint,
    bundle,
    /** Sets the record that brings traffic, correctly. */
    point: () => dns.set(hostname, { cname: endpoint.cname_target }),
    /** Sets the challenge record, correctly. */
    delegate: () => dns.set(bundle.challenge_name, { cname: bundle.challenge_target }),
    row: () => readBundle(world.app, bundle.id),
    provenAt: async () => {
      const { proven_at } = await world.app.db
        .selectFrom('cdn_endpoints')
        .select('proven_at')
        .where('id', '=', endpoint.id)
        .executeTakeFirstOrThrow();
      return proven_at;
    },
  };
}

/** Returns the complete row of a bundle. */
function readBundle(app: App, id: string) {
  return app.db.selectFrom('certificate_bundles').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

/** Returns the app with an external authority, which resolves names and respects CAA. */
export function withPublicAuthority<T extends App>(
  app: T,
  identities: readonly string[] = ['ca.example'],
): T {
  const authority: CertificateAuthority = {
    ...app.authority,
    title: 'ca.example',
    needsProof: true,
    caaIdentities: async () => identities,
  };
  return { ...app, authority };
}

/** Gives a bundle a certificate like issuing does, as far as inspections of its records depend on it. */
export async function markIssued(app: App, id: string, lastsMs: number): Promise<void> {
  const now = app.clock.now();
  await app.db
    .updateTable('certificate_bundles')
    .set({
      issued_at: now,
      valid_from: now,
      valid_until: now + lastsMs,
      renew_at: now + (lastsMs * 2) / 3,
      next_issue_at: now + (lastsMs * 2) / 3,
    })
    .where('id', '=', id)
    .execute();
}

/** Inspects a bundle's records now and returns the report with its facts by name. */
export async function lookAt(app: App, bundleId: string) {
  const report = await inspectBundle(jobContext(app), bundleId);
  if (!report) throw new Error('the bundle is there');
  const fact = (name: DnsFact['fact']) => {
    const found = factOf(report, name);
    if (!found) throw new Error(`no fact ${name}`);
    return found;
  };
  return { report, traffic: fact('traffic'), challenge: fact('challenge'), caa: fact('caa') };
}
