import { delegatedChallengeZone } from '#server/certificate-authority/challenge-zone.ts';
import type { App } from '#server/context.ts';
import { withBoundedLookup } from '#server/dns-client/bounded-lookup.ts';
import type { DnsLookup } from '#server/dns-client/dns-lookup.ts';
import { toInstant } from '../../shared/schema.ts';
import { challengeName, isLocalName } from '../rules.ts';
import type { DnsFact, DnsReport } from '../schema.ts';
import { inspectCaa } from './inspect-caa.ts';
import { type ChallengeFinding, inspectChallenge } from './inspect-challenge.ts';
import { inspectTraffic, type TrafficFinding } from './inspect-traffic.ts';

/** All lookups of one inspection together take no longer than this. */
const BUDGET_MS = 10_000;

/** The bundle to inspect, with what is known about it. */
export interface InspectedBundle {
  domain_name: string;
  dns_challenge_id: string;
  dns_validated_at: number | null;
  dns_challenge_validated_at: number | null;
  valid_until: number | null;
  /** The endpoint's own name; null for names of the platform. */
  cname_target: string | null;
  /** When control of the hostname was first proven. */
  proven_at: number | null;
}

/** Inspects a bundle's names in the public DNS. Never throws because of the DNS. */
export function inspectDns(app: App, bundle: InspectedBundle): Promise<DnsReport> {
  const now = app.clock.now();
  return withBoundedLookup(app.lookup, BUDGET_MS, async (lookup, end) => {
    // Our own authority requires no proof that the platform's names are the platform's.
    const isLocal =
      isLocalName(bundle.domain_name) || (bundle.cname_target === null && !app.authority.needsProof);
    const [traffic, challenge, caa] = await Promise.all([
      isLocal ? localTraffic(bundle) : lookAtTraffic(app, lookup, bundle),
      isLocal ? localChallenge(app, bundle) : lookAtChallenge(app, lookup, bundle),
      isLocal ? inspectCaa(lookup, bundle.domain_name, []) : lookAtCaa(app, lookup, bundle, end),
    ]);
    // What cannot be looked up keeps its previous state: an outage of a resolver undoes nothing.
    const isReached =
      traffic === null || traffic.fact.status === 'ok'
        ? true
        : traffic.fact.status === 'unknown' && bundle.dns_validated_at !== null;
    const isDelegated = challenge.isDelegated ?? bundle.dns_challenge_validated_at !== null;
    const isProven = isLocal || traffic?.isProof === true || challenge.isDelegated === true;
    const hasCertificate = bundle.valid_until !== null && bundle.valid_until > now;
    const isLedElsewhere = traffic?.fact.status === 'missing' || traffic?.fact.status === 'wrong';
    return {
      checked_at: toInstant(now),
      hostname: bundle.domain_name,
      is_apex: traffic?.isApex ?? false,
      is_reached: isReached,
      is_delegated: isDelegated,
      is_proven: isProven,
      can_issue: isDelegated && challenge.fact.status !== 'wrong' && caa.status !== 'wrong',
      is_safe_to_switch: hasCertificate && isLedElsewhere && (isProven || bundle.proven_at !== null),
      facts: [...(traffic === null ? [] : [traffic.fact]), challenge.fact, caa],
    };
  });
}

async function lookAtTraffic(
  { config }: App,
  lookup: DnsLookup,
  { domain_name, cname_target }: InspectedBundle,
): Promise<TrafficFinding | null> {
  if (cname_target === null) return null;
  const { edgeAddresses } = config;
  return inspectTraffic(lookup, { hostname: domain_name, target: cname_target, edgeAddresses });
}

function lookAtChallenge(app: App, lookup: DnsLookup, bundle: InspectedBundle): Promise<ChallengeFinding> {
  const zone = delegatedChallengeZone(app);
  return inspectChallenge(lookup, challengeName(bundle.domain_name), challengeTarget(app, bundle), zone);
}

async function lookAtCaa(
  app: App,
  lookup: DnsLookup,
  { domain_name }: InspectedBundle,
  end: Promise<unknown>,
): Promise<DnsFact> {
  const learnt = app.authority.caaIdentities().catch((error: unknown) => {
    app.logger.warn({ err: error }, 'the CAA names of the authority cannot be read');
    return null;
  });
  const identities = await Promise.race([learnt, end.then(() => null)]);
  return inspectCaa(lookup, domain_name, identities);
}

function localTraffic({ domain_name, cname_target }: InspectedBundle): TrafficFinding | null {
  if (cname_target === null) return null;
  const fact = { fact: 'traffic', status: 'ok', name: domain_name, type: 'CNAME' } as const;
  return {
    fact: { ...fact, expected: [cname_target], found: [], problem: null },
    isApex: false,
    isProof: true,
  };
}

function localChallenge(app: App, bundle: InspectedBundle): ChallengeFinding {
  const fact = { fact: 'challenge', status: 'ok', type: 'CNAME', found: [], problem: null } as const;
  const expected = [challengeTarget(app, bundle)];
  return {
    fact: { ...fact, name: challengeName(bundle.domain_name), expected, found: [] },
    isDelegated: true,
  };
}

function challengeTarget({ config }: App, { dns_challenge_id }: { dns_challenge_id: string }): string {
  return `${dns_challenge_id}.${config.acmeZone}`;
}
