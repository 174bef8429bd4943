import type { App } from '#server/context.ts';
import { inspectBundle } from './inspect-bundle.ts';
import { factOf } from './inspection-rules.ts';
import { IssueFailure } from './issue-failure.ts';

/**
 * Looks at the records of a bundle now, keeps what was found, and returns what of it would make an order fail, or null: the
 * challenge record (`challenge_missing` with its name), CAA (`caa_forbids` with the name whose records forbid it), or that
 * they could not be looked up (`dns_unavailable`).
 */
export async function findDnsObstacle(app: App, bundleId: string): Promise<IssueFailure | null> {
  const report = await inspectBundle(app, bundleId);
  const challenge = report && factOf(report, 'challenge');
  const caa = report && factOf(report, 'caa');
  // It is gone; whoever asked finds that out by the next thing it does.
  if (!challenge || !caa) return null;
  if (challenge.status === 'unknown') return new IssueFailure('dns_unavailable', challenge.name);
  if (challenge.problem === 'challenge_zone_unreachable') {
    return new IssueFailure('dns_unavailable', app.config.acmeZone);
  }
  if (challenge.status !== 'ok') return new IssueFailure('challenge_missing', challenge.name);
  if (caa.status === 'wrong') return new IssueFailure('caa_forbids', caa.name);
  // Without a problem it is the authority that did not say how CAA calls it: the order will tell.
  const isUnanswered = caa.status === 'unknown' && caa.problem !== null;
  return isUnanswered ? new IssueFailure('dns_unavailable', caa.name) : null;
}
