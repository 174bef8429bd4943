import { X509Certificate } from 'node:crypto';
import type { AuthorityOrder, CertificateAuthority } from '#server/certificate-authority/authority.ts';
import { openAuthority } from '#server/certificate-authority/open-authority.ts';
import { systemClock } from '#server/clock.ts';
import { newLabel } from '#server/ids.ts';
import { startDns } from '#server/roles/start-dns.ts';
import { publishChallenge } from '#server/services/certificates/issuing/publish-challenge.ts';
import { challengeName } from '#server/services/certificates/rules.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import type { ZoneServer } from '#tests/support/dns/zone-server.ts';
import { freePort } from '#tests/support/free-port.ts';
import { pollUntil } from '#tests/support/poll-until.ts';

const ZONE = 'acme.portage.test';

/** An installation with its DNS role, as seen by an ACME server and customers. */
export interface AcmeInstallation {
  app: TestApp;
  /** Another node on the same database: it shares nothing held in memory. */
  openNode(settings?: Record<string, string>): Promise<CertificateAuthority>;
  /** Sets the customer's challenge records for these names to a new label, which is returned. */
  delegate(...domains: string[]): string;
  publish(label: string, values: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Returns an installation on a fresh database; its challenge zone is delegated to its DNS role, which really
 * serves.
 */
export async function openInstallation(
  zone: ZoneServer,
  server: { directoryUrl: string; caFile: string },
  settings: Record<string, string> = {},
): Promise<AcmeInstallation> {
  const environment = {
    ACME_DIRECTORY_URL: server.directoryUrl,
    ACME_CA_FILE: server.caFile,
    ACME_CONTACT: 'certificates@portage.test',
    ACME_ZONE: ZONE,
    BIND_ADDRESS: '127.0.0.1',
    DNS_PORT: String(await freePort()),
    ...settings,
  };
  const app = await createTestApp({ environment });
  const dns = await startDns({ ...app, clock: systemClock });
  zone.forward(ZONE, `127.0.0.1:${app.config.dnsPort}`);
  return {
    app,
    openNode: () => openAuthority({ ...app, clock: systemClock }),
    delegate(...domains) {
      const label = newLabel();
      for (const domain of domains) zone.set(challengeName(domain), { cname: `${label}.${ZONE}` });
      return label;
    },
    publish: (label, values) => publishChallenge(app, label, values),
    close: () => dns.stop(),
  };
}

/** Reads the order until it has one of these states; the server needs a moment to process it. */
export function readUntil(
  authority: CertificateAuthority,
  orderUrl: string,
  ...statuses: AuthorityOrder['status'][]
): Promise<AuthorityOrder> {
  return pollUntil(
    () => authority.readOrder(orderUrl),
    ({ status }) => statuses.includes(status),
  );
}

/**
 * Parses a PEM chain and returns its leaf, after verifying that each certificate was signed by the next, and
 * the last by the root.
 */
export function verifyChain(chain: string, root: string): X509Certificate {
  const certificates = (chain.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? []).map(
    (pem) => new X509Certificate(pem),
  );
  const [leaf, ...issuers] = certificates;
  if (!leaf) throw new Error('the chain is empty');
  for (const [index, certificate] of certificates.entries()) {
    const issuer = issuers[index] ?? new X509Certificate(root);
    if (!certificate.checkIssued(issuer) || !certificate.verify(issuer.publicKey)) {
      throw new Error(`${certificate.subject} is not signed by ${issuer.subject}`);
    }
  }
  return leaf;
}
