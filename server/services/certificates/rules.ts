/** The steps of an issuance, in order. */
export const ISSUE_STEPS = ['order', 'publish', 'challenge', 'finalize', 'download'] as const;
export type IssueStep = (typeof ISSUE_STEPS)[number];

/** Why an issuance did not succeed. */
export const CERTIFICATE_PROBLEMS = [
  'challenge_missing',
  'challenge_invisible',
  'caa_forbids',
  'dns_unavailable',
  'authority_unavailable',
  'authority_limit',
  'refused',
  'certificate_wrong',
] as const;
export type CertificateProblem = (typeof CERTIFICATE_PROBLEMS)[number];

/** What the checklist covers: where traffic goes, the challenge record, and who may issue. */
export const DNS_FACTS = ['traffic', 'challenge', 'caa'] as const;

/** What can be wrong with a record, each with its own sentence in the console. */
export const DNS_PROBLEMS = [
  /** There is no such record. */
  'record_missing',
  /** The domain itself does not exist: misspelt, expired or not delegated. */
  'domain_missing',
  /** It leads elsewhere. */
  'points_elsewhere',
  /** It leads to a name that does not exist, or in a loop. */
  'dangling',
  /** The record is correct but its name contains the domain twice, e.g. `www.example.ca.example.ca`. */
  'name_doubled',
  /** The domain was appended to the target: a trailing dot is missing. */
  'target_doubled',
  /** One of IPv4 and IPv6 reaches us, the other leads elsewhere. */
  'stale_ipv6',
  /** A proxy of another network is in front: only its addresses are visible, and not where it leads. */
  'proxied',
  /** The top of a zone cannot be a CNAME and has other addresses. */
  'apex_elsewhere',
  /** There is a TXT record where the CNAME must be. */
  'challenge_is_text',
  /** The challenge zone of this installation cannot be looked up. */
  'challenge_zone_unreachable',
  /** CAA only names other authorities, or contains something that forbids all of them. */
  'caa_forbids',
  /** The resolver did not answer in time. */
  'resolver_timeout',
  /** The domain's name servers fail (SERVFAIL), e.g. because of DNSSEC. */
  'resolver_failed',
] as const;
export type DnsProblem = (typeof DNS_PROBLEMS)[number];

/** The state of a certificate. */
export type CertificateState = 'none' | 'pending' | 'validating' | 'active';

/**
 * The state of a certificate, the same for every list, badge and page, which only word it differently. DNS
 * counts as validated once either record is in place.
 */
export function certificateState(
  bundle: { dns_validated: boolean; dns_challenge_validated: boolean; issued_at: string | null } | null,
): CertificateState {
  if (bundle === null) return 'none';
  if (bundle.issued_at !== null) return 'active';
  return bundle.dns_validated || bundle.dns_challenge_validated ? 'validating' : 'pending';
}

/**
 * Whether issuing waits for the challenge record: nothing else is required from the person before there is a
 * certificate.
 */
export function isChallengeAwaited(bundle: {
  dns_challenge_validated: boolean;
  issued_at: string | null;
}): boolean {
  return bundle.issued_at === null && !bundle.dns_challenge_validated;
}

/** Names below `.localhost` belong to this machine: they reach us without a record (RFC 6761). */
export function isLocalName(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost');
}

/** The record that a customer sets once, so that we can answer every later challenge. */
export function challengeName(domainName: string): string {
  return `_acme-challenge.${domainName.replace(/^\*\./, '')}`;
}
