import type { RequestContext } from '#server/context.ts';
import { inspectBundle } from '../inspection/inspect-bundle.ts';
import { factOf } from '../inspection/inspection-rules.ts';
import { isLocalName } from '../rules.ts';
import type { DnsFact, DnsReport } from '../schema.ts';
import { IssueFailure } from './issue-failure.ts';

/**
 * Inspects the records now and returns what would make an order fail, or null. The authority is not contacted
 * before that, because its failed validations count.
 */
export async function findObstacle(
  context: RequestContext,
  bundle: { id: string; domain_name: string },
): Promise<IssueFailure | null> {
  if (context.app.authority.needsProof && isLocalName(bundle.domain_name)) {
    return new IssueFailure(
      'refused',
      'Names below .localhost belong to every machine: no public authority certifies them.',
    );
  }
  const report = await inspectBundle(context, bundle.id);
  return report ? obstacleIn(report) : null;
}

/** Returns the failure that an order would have according to a report, or null. */
export function obstacleIn(report: DnsReport): IssueFailure | null {
  return judgeChallenge(factOf(report, 'challenge')) ?? judgeCaa(factOf(report, 'caa'));
}

function judgeChallenge(fact: DnsFact | undefined): IssueFailure | null {
  if (fact === undefined || fact.status === 'ok') return null;
  const { name, problem } = fact;
  if (fact.status === 'unknown') return unanswered(fact);
  return problem === 'challenge_zone_unreachable'
    ? new IssueFailure('challenge_invisible', name)
    : new IssueFailure('challenge_missing', name);
}

function judgeCaa(fact: DnsFact | undefined): IssueFailure | null {
  if (fact?.status === 'wrong') return new IssueFailure('caa_forbids', fact.name);
  // Without a problem, the authority could not report its own names: the order is attempted all the same.
  return fact?.status === 'unknown' && fact.problem !== null ? unanswered(fact) : null;
}

function unanswered({ name }: DnsFact): IssueFailure {
  return new IssueFailure('dns_unavailable', name);
}
