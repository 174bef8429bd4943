import type { Bundle, DnsReport } from '#server/services/certificates/schema.ts';

/** The challenge record's state when the certificate could not be renewed: that comes first. */
const NOT_SAFE: ReadonlySet<string | undefined> = new Set(['missing', 'wrong']);

/**
 * Whether the certificate is ready while traffic is still elsewhere, and nothing else is wrong with it. A report from before the
 * certificate does not know of it yet, and the next one may take a while.
 */
export function isSafeToSwitch(
  endpoint: { bundle: Pick<Bundle, 'issued_at'> | null },
  report: Pick<DnsReport, 'is_safe_to_switch' | 'checked_at' | 'facts'>,
): boolean {
  if (NOT_SAFE.has(report.facts.find(({ fact }) => fact === 'challenge')?.status)) return false;
  if (report.is_safe_to_switch) return true;
  const issuedAt = endpoint.bundle?.issued_at ?? null;
  if (issuedAt === null || Date.parse(report.checked_at) > Date.parse(issuedAt)) return false;
  const traffic = report.facts.find(({ fact }) => fact === 'traffic');
  return traffic?.status === 'missing' || traffic?.status === 'wrong';
}
