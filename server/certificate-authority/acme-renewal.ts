import { X509Certificate } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { MINUTE_MS } from '../durations.ts';
import { readRetryAfter } from '../outgoing/read-retry-after.ts';
import type { AcmeDirectory } from './acme-directory.ts';
import { AcmeProblem, WAIT_MS_MAX } from './acme-problem.ts';
import type { AcmeTransport } from './acme-transport.ts';
import { AuthorityError, type RenewalWindow } from './authority.ts';

const ASK_AGAIN_MS = { min: MINUTE_MS, usual: 6 * 60 * MINUTE_MS, max: 24 * 60 * MINUTE_MS };

const instant = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));
const renewalInfoSchema = z.object({ suggestedWindow: z.object({ start: instant, end: instant }) });

/**
 * Returns the identifier that RFC 9773 defines for a certificate: its authority's key identifier and its
 * serial number. Null for a certificate without a key identifier.
 * @param certificate PEM; the first certificate is used
 */
export function renewalIdentifier(certificate: string): string | null {
  const leaf = new X509Certificate(certificate);
  const keyId = new x509.X509Certificate(leaf.raw).getExtension(x509.AuthorityKeyIdentifierExtension)?.keyId;
  if (!keyId) return null;
  const digits = leaf.serialNumber.length % 2 === 0 ? leaf.serialNumber : `0${leaf.serialNumber}`;
  const serial = Buffer.from(digits, 'hex');
  // As a DER integer, where a set first bit would mean a negative number.
  const isSigned = ((serial[0] ?? 0) & 0x80) !== 0;
  const integer = isSigned ? Buffer.concat([Buffer.from([0]), serial]) : serial;
  return `${Buffer.from(keyId, 'hex').toString('base64url')}.${integer.toString('base64url')}`;
}

/**
 * Returns when a certificate should be renewed according to the server; null when it names no time.
 * @throws AuthorityError
 */
export async function readRenewalWindow(
  parts: { directory: AcmeDirectory; transport: AcmeTransport; clock: Clock },
  certificate: string,
): Promise<RenewalWindow | null> {
  const base = await parts.directory.renewalInfoUrl();
  const identifier = renewalIdentifier(certificate);
  if (base === null || identifier === null) return null;
  const response = await readOrNull(parts.transport, `${base.replace(/\/$/, '')}/${identifier}`);
  if (!response) return null;
  const parsed = renewalInfoSchema.safeParse(response.body);
  if (!parsed.success) {
    throw new AuthorityError('unavailable', 'The authority returned no readable renewal window.');
  }
  const { start, end } = parsed.data.suggestedWindow;
  if (end <= start) return null;
  const now = parts.clock.now();
  const asked = readRetryAfter(response.retryAfter, now, WAIT_MS_MAX) ?? now + ASK_AGAIN_MS.usual;
  const askAgainAt = Math.min(Math.max(asked, now + ASK_AGAIN_MS.min), now + ASK_AGAIN_MS.max);
  return { start, end, askAgainAt };
}

/** A server has no renewal window for a certificate that another authority issued. */
async function readOrNull(transport: AcmeTransport, url: string) {
  try {
    return await transport.readJson(url);
  } catch (error) {
    if (error instanceof AcmeProblem && (error.kind === 'refused' || error.status === 404)) return null;
    throw error;
  }
}
