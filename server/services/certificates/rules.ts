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

/** What the checklist is about: where traffic goes, the challenge record, and who may issue. */
export const DNS_FACTS = ['traffic', 'challenge', 'caa'] as const;

/** What can be wrong with a record, each with its own sentence in the console. */
export const DNS_PROBLEMS = [
  /** There is no such record. */
  'record_missing',
  /** The domain itself is not known: misspelt, expired or not delegated. */
  'domain_missing',
  /** It leads somewhere else. */
  'points_elsewhere',
  /** It leads to a name that does not exist, or in a circle. */
  'dangling',
  /** The record is right but stands at its name with the domain once more, e.g. `www.example.ca.example.ca`. */
  'name_doubled',
  /** The target got the domain behind it: a final dot is missing. */
  'target_doubled',
  /** One of IPv4 and IPv6 reaches us, the other leads somewhere else. */
  'stale_ipv6',
  /** A proxy of another network stands in front: its addresses are found, and nothing shows where it leads. */
  'proxied',
  /** The top of a zone cannot be a CNAME and has other addresses. */
  'apex_elsewhere',
  /** A TXT record stands where the CNAME has to be. */
  'challenge_is_text',
  /** The challenge zone of this installation cannot be looked up. */
  'challenge_zone_unreachable',
  /** CAA names other authorities only, or says something that forbids it to all. */
  'caa_forbids',
  /** The resolver did not answer in time. */
  'resolver_timeout',
  /** The domain's name servers fail (SERVFAIL), e.g. because of DNSSEC. */
  'resolver_failed',
] as const;
export type DnsProblem = (typeof DNS_PROBLEMS)[number];

/** How far a certificate is (spec/console.md, section 4). */
export type CertificateState = 'none' | 'pending' | 'validating' | 'active';

/**
 * How far a certificate is, for every list, badge and page alike: each of them only names it in its own words. DNS counts as
 * validated once either record stands.
 */
export function certificateState(
  bundle: { dns_validated: boolean; dns_challenge_validated: boolean; issued_at: string | null } | null,
): CertificateState {
  if (bundle === null) return 'none';
  if (bundle.issued_at !== null) return 'active';
  return bundle.dns_validated || bundle.dns_challenge_validated ? 'validating' : 'pending';
}

/** Whether issuing waits for the challenge record: nothing else is asked of the person before there is a certificate. */
export function isChallengeAwaited(bundle: {
  dns_challenge_validated: boolean;
  issued_at: string | null;
}): boolean {
  return bundle.issued_at === null && !bundle.dns_challenge_validated;
}

/** Names below `.localhost` are this machine's: they reach us without a record (RFC 6761). */
export function isLocalName(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost');
}

/** The record that a customer sets once, so that we can answer every later challenge. */
export function challengeName(domainName: string): string {
  return `_acme-challenge.${domainName.replace(/^\*\./, '')}`;
}
