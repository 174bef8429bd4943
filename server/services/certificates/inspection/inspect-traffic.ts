import { BlockList } from 'node:net';
import { getDomain } from 'tldts';
import type { DnsLookup, LookupResult } from '#server/dns-client/dns-lookup.ts';
import { familyOf, findProxyNetwork } from '#server/dns-client/proxy-networks.ts';
import { type DnsProblem, isLocalName } from '../rules.ts';
import type { DnsFact } from '../schema.ts';
import { describeAddresses, describeRecords } from './describe-record.ts';
import { findMissingRecord, isDoubled } from './find-missing-record.ts';
import { type AliasChain, followAliases } from './follow-aliases.ts';

export interface TrafficFinding {
  fact: DnsFact;
  isApex: boolean;
  /** The hostname is an alias of the target, which no other organization has. */
  isProof: boolean;
}

/** Where traffic should go. */
export interface TrafficTarget {
  hostname: string;
  /** The endpoint's own name. */
  target: string;
  /** Addresses of the edge, for names that cannot be aliases. */
  edgeAddresses: readonly string[];
}

type Addresses = LookupResult<string>;

/**
 * Looks up where a hostname leads: by an alias to the target, or to the same addresses as the target or the
 * edge.
 */
export async function inspectTraffic(
  lookup: DnsLookup,
  { hostname, target, edgeAddresses }: TrafficTarget,
): Promise<TrafficFinding> {
  const isPublic = !isLocalName(target);
  const nothing: Addresses = { kind: 'unknown_name' };
  const [chain, ipv4, ipv6, soa, target4, target6] = await Promise.all([
    followAliases(lookup, hostname, target),
    lookup.ipv4(hostname),
    lookup.ipv6(hostname),
    lookup.soa(hostname),
    isPublic ? lookup.ipv4(target) : nothing,
    isPublic ? lookup.ipv6(target) : nothing,
  ]);
  // A query for an alias to the top of another zone is answered with that zone's SOA.
  const isTop = soa.kind === 'found' && chain.names.length === 0;
  const isApex = isTop || getDomain(hostname) === hostname;
  const found = [
    ...describeRecords('CNAME', chain.names),
    ...describeAddresses('A', recordsOf(ipv4)),
    ...describeAddresses('AAAA', recordsOf(ipv6)),
  ];
  const ours = [...edgeAddresses, ...recordsOf(target4), ...recordsOf(target6)];
  const isOursKnown = !isUnanswered(target4) && !isUnanswered(target6);
  const verdict = await judge(lookup, { hostname, target, chain, ipv4, ipv6, ours, isOursKnown, isApex });
  return {
    fact: {
      fact: 'traffic',
      status: verdict.status,
      name: hostname,
      type: isApex ? 'ALIAS' : 'CNAME',
      expected: isApex ? [target, ...edgeAddresses] : [target],
      found,
      problem: verdict.problem,
    },
    isApex,
    isProof: chain.end === 'target',
  };
}

interface Verdict {
  status: DnsFact['status'];
  problem: DnsProblem | null;
}

interface Seen {
  hostname: string;
  target: string;
  chain: AliasChain;
  ipv4: Addresses;
  ipv6: Addresses;
  /** Addresses that are as good as the target. */
  ours: readonly string[];
  /** Whether those are all of them. */
  isOursKnown: boolean;
  isApex: boolean;
}

const OK: Verdict = { status: 'ok', problem: null };
const wrong = (problem: DnsProblem): Verdict => ({ status: 'wrong', problem });

async function judge(lookup: DnsLookup, seen: Seen): Promise<Verdict> {
  const { hostname, target, chain, ipv4, ipv6, ours } = seen;
  if (chain.end === 'target') return OK;
  const sides = [sideOf(ipv4, ours), sideOf(ipv6, ours)];
  // A family that cannot be looked up proves nothing against the other.
  if (sides.includes('ours') && !sides.includes('elsewhere')) return OK;
  const isLedAway = sides.includes('elsewhere');
  const isChainUnanswered = chain.end === 'timeout' || chain.end === 'failed';
  if (isLedAway ? !seen.isOursKnown : sides.includes('unknown') || isChainUnanswered) {
    const isTimeout = [chain.end, ipv4.kind, ipv6.kind].includes('timeout');
    return { status: 'unknown', problem: isTimeout ? 'resolver_timeout' : 'resolver_failed' };
  }
  if (sides.includes('ours')) return wrong('stale_ipv6');
  if (isLedAway) return wrong(problemElsewhere(seen));
  if (chain.names.length === 0) {
    const problem = await findMissingRecord(lookup, hostname, target);
    return { status: 'missing', problem };
  }
  if (isDoubled(chain.names[0], target, hostname)) return wrong('target_doubled');
  return wrong(chain.end === 'nowhere' ? 'dangling' : 'points_elsewhere');
}

function problemElsewhere({ hostname, target, chain, ipv4, ipv6, isApex }: Seen): DnsProblem {
  if (isDoubled(chain.names[0], target, hostname)) return 'target_doubled';
  if (chain.names.length > 0) return 'points_elsewhere';
  const addresses = [...recordsOf(ipv4), ...recordsOf(ipv6)];
  if (addresses.every((address) => findProxyNetwork(address) !== null)) return 'proxied';
  return isApex ? 'apex_elsewhere' : 'points_elsewhere';
}

/** Which side the addresses of one family are on; `none` where there are none. */
function sideOf(answer: Addresses, ours: readonly string[]): 'ours' | 'elsewhere' | 'none' | 'unknown' {
  if (isUnanswered(answer)) return 'unknown';
  if (answer.kind !== 'found') return 'none';
  const list = new BlockList();
  for (const address of ours) list.addAddress(address, familyOf(address));
  return answer.records.every((address) => list.check(address, familyOf(address))) ? 'ours' : 'elsewhere';
}

function isUnanswered({ kind }: Addresses): boolean {
  return kind === 'timeout' || kind === 'failed';
}

function recordsOf(answer: Addresses): readonly string[] {
  return answer.kind === 'found' ? answer.records : [];
}
