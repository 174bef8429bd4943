import { expect } from 'vitest';
import { examplePorts } from './edge-example-site.ts';
import { createTestAuthority, shownSerial, startSecureEdge } from './edge-secure-fixture.ts';

/** Signs the certificates of the edges of {@link startTlsEdge}. */
export const tlsAuthority = await createTestAuthority();

/** An edge with a site at `site.test` and at `a.sites.test`, certificates for both, and one for two names. */
export async function startTlsEdge(options: Parameters<typeof startSecureEdge>[1] = {}) {
  const ports = examplePorts();
  ports.point('a.sites.test', 'v1', { siteId: 'a' });
  ports.point('one.test', 'v1', { siteId: 'a' });
  ports.point('two.test', 'v1', { siteId: 'a' });
  const own = await tlsAuthority.issue(['site.test']);
  const wildcard = await tlsAuthority.issue(['*.sites.test']);
  const both = await tlsAuthority.issue(['one.test', 'two.test']);
  ports.certificates.set('site.test', own);
  ports.certificates.set('*.sites.test', wildcard);
  ports.certificates.set('one.test', both);
  ports.certificates.set('two.test', both);
  const edge = await startSecureEdge(ports, options);
  await expect.poll(() => shownSerial(edge.securePort)).toBe(wildcard.id);
  return { ports, own, wildcard, both, ...edge };
}
