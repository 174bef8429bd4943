import { getDomain } from 'tldts';
import type { Executor } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import { IssueFailure } from './issue-failure.ts';
import { type Attempt, LIMITS_REACH_MS, limitEndsAt, ORDERS_REACH_MS, type Wish } from './limit-rules.ts';

/**
 * Returns the public suffix and one label, which authorities count by; the name itself when it has no such
 * domain.
 */
function registeredDomain(domainName: string): string {
  const name = domainName.replace(/^\*\./, '');
  return getDomain(name, { allowPrivateDomains: true }) ?? name;
}

/**
 * Records a request to the authority that counts towards its limits, and returns the id by which it can be
 * forgotten.
 */
export async function recordAttempt(
  executor: Executor,
  app: App,
  attempt: Pick<Wish, 'organizationId' | 'domainName' | 'isRenewal'> & Pick<Attempt, 'outcome'>,
): Promise<string> {
  const now = app.clock.now();
  const id = newId(now);
  if (!app.authority.needsProof) return id;
  await executor
    .insertInto('certificate_attempts')
    .values({
      id,
      authority: app.authority.name,
      organization_id: attempt.organizationId,
      domain_name: attempt.domainName,
      registered_domain: registeredDomain(attempt.domainName),
      outcome: attempt.outcome,
      is_renewal: attempt.isRenewal ? 1 : 0,
      at: now,
    })
    .execute();
  return id;
}

/** Forgets what the authority did not accept: otherwise an outage would use up the limits for afterwards. */
export async function forgetAttempt(executor: Executor, id: string): Promise<void> {
  await executor.deleteFrom('certificate_attempts').where('id', '=', id).execute();
}

/**
 * Requires that an order for the name is within the authority's limits, so that its own refusals, which count
 * too, are rare.
 * @throws IssueFailure authority_limit with the time when it eases
 */
export async function requireWithinLimits(app: App, wish: Omit<Wish, 'registeredDomain'>): Promise<void> {
  const { authority, clock, db } = app;
  if (!authority.needsProof) return;
  const now = clock.now();
  const domain = registeredDomain(wish.domainName);
  const attempts = await db
    .selectFrom('certificate_attempts')
    .select(['organization_id', 'domain_name', 'registered_domain', 'outcome', 'is_renewal', 'at'])
    .where('authority', '=', authority.name)
    .where('at', '>', now - LIMITS_REACH_MS)
    // Orders count by the account, everything else by the name or its registered domain.
    .where((eb) =>
      eb.or([
        eb('registered_domain', '=', domain),
        eb.and([eb('outcome', '=', 'ordered'), eb('at', '>', now - ORDERS_REACH_MS)]),
      ]),
    )
    .execute();
  const endsAt = limitEndsAt(attempts, { ...wish, registeredDomain: domain }, authority.title, now);
  if (endsAt === null) return;
  throw new IssueFailure('authority_limit', null, { retryAt: endsAt });
}
