import { createPublicKey, X509Certificate } from 'node:crypto';
import { HOUR_MS } from '#server/durations.ts';
import { IssueFailure } from './issue-failure.ts';

/** What is stored of a certificate besides its chain. */
export interface IssuedFacts {
  serialNumber: string;
  validFrom: number;
  validUntil: number;
}

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
/** Clocks of an authority and of this machine may differ. */
const CLOCK_SKEW_MS = HOUR_MS;

/**
 * Returns the facts of a chain as delivered by the authority, after checking that it can be served: the leaf
 * has our key and names the domain, it is valid now, and each certificate is signed by the next one.
 * @throws IssueFailure certificate_wrong
 */
export function checkIssuedChain(
  chain: string,
  expected: { domainName: string; privateKey: string; now: number },
): IssuedFacts {
  const certificates = parseChain(chain);
  const leaf = certificates[0];
  if (leaf === undefined) throw wrong('it is empty');
  const spki = { type: 'spki', format: 'der' } as const;
  const ourKey = createPublicKey(expected.privateKey).export(spki);
  if (!leaf.publicKey.export(spki).equals(ourKey)) throw wrong('it has another key');
  if (!namesOf(leaf).includes(expected.domainName)) throw wrong(`it does not name ${expected.domainName}`);
  const validFrom = leaf.validFromDate.getTime();
  const validUntil = leaf.validToDate.getTime();
  if (validFrom > expected.now + CLOCK_SKEW_MS) throw wrong('it is not valid yet');
  if (validUntil <= expected.now) throw wrong('it has expired');
  for (const [index, certificate] of certificates.entries()) {
    const issuer = certificates[index + 1];
    if (issuer && !(certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey))) {
      throw wrong('its chain is not in order');
    }
  }
  return { serialNumber: leaf.serialNumber.toLowerCase(), validFrom, validUntil };
}

function parseChain(chain: string): X509Certificate[] {
  try {
    return (chain.match(PEM) ?? []).map((pem) => new X509Certificate(pem));
  } catch (error) {
    throw wrong('it cannot be read', error);
  }
}

function namesOf(leaf: X509Certificate): string[] {
  return (leaf.subjectAltName ?? '')
    .split(', ')
    .map((name) => /^DNS:(.+)$/.exec(name)?.[1]?.toLowerCase() ?? '');
}

function wrong(reason: string, cause?: unknown): IssueFailure {
  return new IssueFailure('certificate_wrong', `The certificate cannot be used: ${reason}.`, {
    cause,
    endsOrder: true,
  });
}
