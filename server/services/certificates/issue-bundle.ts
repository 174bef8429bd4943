import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { type App, type OrganizationContext, requireAction } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { isLeaseHeld } from '../leases/is-lease-held.ts';
import { getBundle } from './get-bundle.ts';
import { findObstacle } from './issuing/find-obstacle.ts';
import { certificateLease, type IssueOutcome, issueCertificate } from './issuing/issue-certificate.ts';
import { toIssueError } from './issuing/issue-error.ts';
import { IssueFailure } from './issuing/issue-failure.ts';
import { growingPauses, isFresh } from './issuing/issue-rules.ts';
import { findIssuableBundle, type IssuableBundle } from './issuing/select-issuable.ts';
import { requireBundle } from './require-bundle.ts';
import { type Bundle, bundleInput } from './schema.ts';

/**
 * Longer than a healthy order takes, and shorter than a proxy's time limit for responses; after it, the
 * bundle's step shows that the work continues.
 */
const WAIT_MS = 50_000;
const LOOK = { firstMs: 250, longestMs: 2_000 };

/**
 * Issues or renews the certificate of a bundle now and returns the bundle; a fresh one is left as it is. If
 * another request or a job is working on it, this waits for its end. The work continues when the client
 * disconnects.
 * @throws bundle_not_found, out_of_scope, challenge_record_missing, caa_forbids, dns_unavailable,
 * certificate_limit, certificate_unavailable, certificate_failed, too_many_requests
 */
export async function issueBundle(
  context: OrganizationContext,
  input: z.input<typeof bundleInput>,
): Promise<Bundle> {
  requireAction(context, 'certificate.manage');
  const { bundle_id } = bundleInput.parse(input);
  const { app } = context;
  await requireBundle(app.db, context, bundle_id, 'write');
  const before = await requireIssuable(app, bundle_id);
  if (!isFresh(before, app.authority.name, app.clock.now())) {
    await requirePatience(app, before);
    await app.rateLimits.consume('dns_inspection_organization', context.organization.id);
    const obstacle = await findObstacle(context, before);
    if (obstacle) throw await toIssueError(app, before, obstacle);
    const outcome = await withinWait(issueOrJoin(context, before), app);
    if (outcome?.kind === 'failed') throw await toIssueError(app, before, outcome.failure);
  }
  return getBundle(context, { bundle_id });
}

async function requireIssuable(app: App, bundleId: string): Promise<IssuableBundle> {
  const bundle = await findIssuableBundle(app.db, bundleId);
  if (!bundle) throw new AppError('bundle_not_found');
  return bundle;
}

/** An authority that said when to come back is not asked earlier. @throws certificate_limit */
async function requirePatience(app: App, bundle: IssuableBundle): Promise<void> {
  const { failure_code, next_issue_at } = bundle;
  if (failure_code !== 'authority_limit' || next_issue_at === null || next_issue_at <= app.clock.now())
    return;
  throw await toIssueError(
    app,
    bundle,
    new IssueFailure('authority_limit', null, { retryAt: next_issue_at }),
  );
}

/**
 * Does the work, or waits for the process that is doing it. Another process's attempt since `before` counts
 * as this one.
 */
async function issueOrJoin(context: OrganizationContext, before: IssuableBundle): Promise<IssueOutcome> {
  const { app } = context;
  for (const ms of growingPauses(LOOK.firstMs, LOOK.longestMs, WAIT_MS)) {
    const outcome = await issueCertificate(context, before.id, {
      unlessTriedSince: before.attempts,
      isInspected: true,
    });
    if (outcome.kind !== 'busy') return outcome;
    await sleep(ms);
    await waitForLease(app, before.id);
  }
  return { kind: 'busy' };
}

/** Resolves once the bundle is no longer being worked on, or after a while. */
async function waitForLease(app: App, bundleId: string): Promise<void> {
  for (const ms of growingPauses(LOOK.firstMs, LOOK.longestMs, WAIT_MS)) {
    if (!(await isLeaseHeld(app, certificateLease(bundleId)))) return;
    await sleep(ms);
  }
}

/**
 * Returns how the work ended, or null when it takes longer than a response may: it continues in the
 * background.
 */
async function withinWait(work: Promise<IssueOutcome>, app: App): Promise<IssueOutcome | null> {
  const over = new AbortController();
  let isOver = false;
  const bounded = sleep(WAIT_MS, null, { signal: over.signal, ref: false }).then(
    () => {
      isOver = true;
      return null;
    },
    () => null,
  );
  const watched = work.catch((error: unknown) => {
    if (!isOver) throw error;
    app.logger.error({ err: error }, 'a certificate could not be issued');
    return null;
  });
  try {
    return await Promise.race([watched, bounded]);
  } finally {
    over.abort();
  }
}
