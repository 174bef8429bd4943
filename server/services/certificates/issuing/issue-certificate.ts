import { AuthorityError } from '#server/certificate-authority/authority.ts';
import type { RequestContext } from '#server/context.ts';
import { holdLease } from '../../leases/hold-lease.ts';
import { CERTIFICATE_PROBLEMS } from '../rules.ts';
import { checkIssuedChain } from './check-issued-chain.ts';
import { findObstacle } from './find-obstacle.ts';
import { IssueFailure, toIssueFailure } from './issue-failure.ts';
import { type IssuePause, pauseUntil } from './issue-pause.ts';
import { isFresh } from './issue-rules.ts';
import { recordAttempt } from './limit-attempts.ts';
import { openOrder } from './open-order.ts';
import { completeOrder, type OrderRow } from './order-certificate.ts';
import { endOrder, recordIssueFailure } from './record-issue-failure.ts';
import { findIssuableBundle, type IssuableBundle } from './select-issuable.ts';
import { storeCertificate } from './store-certificate.ts';

/** How an attempt ended. `busy`: another node or request is working on the same bundle, or just was. */
export type IssueOutcome =
  | { kind: 'issued' | 'fresh' | 'busy' | 'removed' }
  | { kind: 'failed'; failure: IssueFailure };

interface IssueOptions {
  /** Replaces a certificate that is still fresh, e.g. when its key may have leaked. */
  isForced?: boolean;
  /**
   * The number of failed attempts that the caller knows of: if there are more by now, the last of them is the
   * answer.
   */
  unlessTriedSince?: number;
  /** Nothing is attempted before its time: another node may have attempted it since the caller looked. */
  isDueOnly?: boolean;
  /** The records have just been inspected. */
  isInspected?: boolean;
  pause?: IssuePause;
}

/** The name of the lease for working on a bundle's order. */
export function certificateLease(bundleId: string): string {
  return `certificate:${bundleId}`;
}

/**
 * Issues or renews the certificate of a bundle with a new key, and returns how that ended; a failure is
 * stored with the time of the next attempt, and the current certificate stays in service. A bundle has at
 * most one open order, however many nodes are asked at the same time; an order interrupted by a crash
 * continues where it was.
 */
export async function issueCertificate(
  context: RequestContext,
  bundleId: string,
  options: IssueOptions = {},
): Promise<IssueOutcome> {
  const held = await holdLease(context.app, certificateLease(bundleId), () =>
    attempt(context, bundleId, options),
  );
  return held?.result ?? { kind: 'busy' };
}

async function attempt(
  context: RequestContext,
  bundleId: string,
  { isForced, unlessTriedSince, isDueOnly, isInspected, pause = pauseUntil() }: IssueOptions,
): Promise<IssueOutcome> {
  const { app } = context;
  const bundle = await findIssuableBundle(app.db, bundleId);
  if (!bundle) return { kind: 'removed' };
  if (!isForced && isFresh(bundle, app.authority.name, app.clock.now())) {
    await app.db
      .updateTable('certificate_bundles')
      .set({ next_issue_at: bundle.renew_at })
      .where('id', '=', bundleId)
      .where('issued_at', '=', bundle.issued_at)
      .execute();
    return { kind: 'fresh' };
  }
  if (isDueOnly && (bundle.next_issue_at === null || bundle.next_issue_at > app.clock.now())) {
    return { kind: 'busy' };
  }
  if (unlessTriedSince !== undefined && bundle.attempts > unlessTriedSince) {
    const problem = CERTIFICATE_PROBLEMS.find((code) => code === bundle.failure_code) ?? 'refused';
    const retryAt = problem === 'authority_limit' ? bundle.next_issue_at : null;
    return { kind: 'failed', failure: new IssueFailure(problem, bundle.failure_detail, { retryAt }) };
  }
  try {
    const obstacle = isInspected ? null : await findObstacle(context, bundle);
    if (obstacle) throw obstacle;
    return (await issue(context, bundle, pause)) ? { kind: 'issued' } : { kind: 'removed' };
  } catch (error) {
    if (!(await findIssuableBundle(app.db, bundleId))) return { kind: 'removed' };
    const failure = toIssueFailure(error);
    const isKept = await recordIssueFailure(app, bundle, failure);
    return isKept ? { kind: 'failed', failure } : { kind: 'removed' };
  }
}

/** Returns whether the bundle still existed to receive its certificate. */
async function issue(context: RequestContext, bundle: IssuableBundle, pause: IssuePause): Promise<boolean> {
  const { app } = context;
  for (let isAnew = false; ; isAnew = true) {
    const { order, isResumed } = await openOrder(app, bundle);
    try {
      return await finish(context, bundle, order, pause);
    } catch (error) {
      const isGone = error instanceof AuthorityError && error.kind === 'gone';
      if (isAnew || !isResumed || !isGone) {
        await countFailedValidation(context, bundle, error);
        throw error;
      }
      // The order of an earlier run expired in the meantime.
      await endOrder(app.db, order);
    }
  }
}

async function finish(
  context: RequestContext,
  bundle: IssuableBundle,
  order: OrderRow,
  pause: IssuePause,
): Promise<boolean> {
  const { app } = context;
  const chain = await completeOrder(app, bundle, order, pause);
  const facts = checkIssuedChain(chain, {
    domainName: bundle.domain_name,
    privateKey: app.sealer.open(order.key_sealed, bundle.id),
    now: app.clock.now(),
  });
  return storeCertificate(context, bundle, order, chain, facts);
}

/** An order that the authority itself refused counts among the failed validations of the name. */
async function countFailedValidation(
  { app }: RequestContext,
  bundle: IssuableBundle,
  error: unknown,
): Promise<void> {
  const { problem } = toIssueFailure(error);
  if (problem !== 'refused' && problem !== 'caa_forbids') return;
  await recordAttempt(app.db, app, {
    organizationId: bundle.organization_id,
    domainName: bundle.domain_name,
    outcome: 'failed',
    isRenewal: bundle.issued_at !== null,
  });
}
