import type { DnsLookup } from '#server/dns-client/dns-lookup.ts';
import type { DnsFact } from '../schema.ts';
import { describeRecords } from './describe-record.ts';
import { findMissingRecord, isDoubled } from './find-missing-record.ts';
import { followAliases } from './follow-aliases.ts';

export interface ChallengeFinding {
  fact: DnsFact;
  /** Whether the customer's record is correct, whatever is behind it. Null when it could not be looked up. */
  isDelegated: boolean | null;
}

/**
 * Inspects whether the challenge name is an alias of the bundle's own name in our zone.
 * @param zone the challenge zone when it must also be visible from outside; otherwise null
 */
export async function inspectChallenge(
  lookup: DnsLookup,
  name: string,
  target: string,
  zone: string | null,
): Promise<ChallengeFinding> {
  const [chain, top] = await Promise.all([
    followAliases(lookup, name, target),
    zone === null ? null : lookup.soa(zone),
  ]);
  const fact = { fact: 'challenge' as const, name, type: 'CNAME' as const, expected: [target] };
  const found = describeRecords('CNAME', chain.names);
  switch (chain.end) {
    case 'target': {
      const isSeen = top === null || top.kind === 'found';
      return {
        fact: {
          ...fact,
          found,
          status: isSeen ? 'ok' : 'wrong',
          problem: isSeen ? null : 'challenge_zone_unreachable',
        },
        isDelegated: true,
      };
    }
    case 'timeout':
    case 'failed': {
      const problem = chain.end === 'timeout' ? 'resolver_timeout' : 'resolver_failed';
      return { fact: { ...fact, found, status: 'unknown', problem }, isDelegated: null };
    }
    default:
      break;
  }
  if (chain.names.length > 0) {
    const problem = isDoubled(chain.names[0], target, name) ? 'target_doubled' : 'points_elsewhere';
    return { fact: { ...fact, found, status: 'wrong', problem }, isDelegated: false };
  }
  const text = chain.end === 'name' ? await lookup.txt(name) : null;
  if (text?.kind === 'found') {
    return {
      fact: {
        ...fact,
        found: describeRecords('TXT', text.records),
        status: 'wrong',
        problem: 'challenge_is_text',
      },
      isDelegated: false,
    };
  }
  const problem = await findMissingRecord(lookup, name, target);
  return { fact: { ...fact, found, status: 'missing', problem }, isDelegated: false };
}
