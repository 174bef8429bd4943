import { isPostgres } from '#db/client.ts';
import { AuthorityError, type RenewalWindow } from '#server/certificate-authority/authority.ts';
import type { App, RequestContext } from '#server/context.ts';
import { inUnitOfWork, type UnitOfWork } from '../../shared/unit-of-work.ts';
import { queueWebhooks } from '../../webhooks/queue-webhooks.ts';
import type { IssuedFacts } from './check-issued-chain.ts';
import { recordAttempt } from './limit-attempts.ts';
import type { OrderRow } from './order-certificate.ts';
import { publishChallenge } from './publish-challenge.ts';
import { ASK_AGAIN_AFTER_FAILURE_MS, askAgainAt, renewalMoment } from './renewal-rules.ts';
import type { IssuableBundle } from './select-issuable.ts';

/**
 * Replaces a bundle's certificate with a checked one, plans its renewal, ends the order and tells the edges.
 * Returns whether the bundle still existed.
 */
export async function storeCertificate(
  context: RequestContext,
  bundle: IssuableBundle,
  order: OrderRow,
  chain: string,
  facts: IssuedFacts,
): Promise<boolean> {
  const { app } = context;
  const { validFrom, validUntil, serialNumber } = facts;
  const { window, renewalInfoAt } = await askForWindow(app, chain);
  const now = app.clock.now();
  const renewAt = renewalMoment({ validFrom, validUntil, issuedAt: now }, window, now, Math.random());
  const isStored = await inUnitOfWork(context, async (unit) => {
    const { trx, tellEdges } = unit;
    // The bundle is locked before its order, as in a removal: otherwise the two could deadlock. It is not
    // written twice here: PostgreSQL would check its endpoint again, which a removal holds.
    await trx
      .selectFrom('certificate_bundles')
      .select('id')
      .where('id', '=', bundle.id)
      .$if(isPostgres(trx), (query) => query.forNoKeyUpdate())
      .execute();
    const ended = await trx
      .deleteFrom('certificate_orders')
      .where('bundle_id', '=', bundle.id)
      .where('order_url', '=', order.order_url)
      .executeTakeFirst();
    // The bundle was removed meanwhile, and its order with it.
    if (ended.numDeletedRows === 0n) return false;
    await trx
      .updateTable('certificate_bundles')
      .set({
        authority: app.authority.name,
        certificate: chain,
        private_key_sealed: order.key_sealed,
        serial_number: serialNumber,
        issued_at: now,
        valid_from: validFrom,
        valid_until: validUntil,
        renew_at: renewAt,
        renewal_info_at: renewalInfoAt,
        next_issue_at: renewAt,
        attempts: 0,
        failure_code: null,
        failure_detail: null,
        failed_at: null,
        updated_at: now,
      })
      .where('id', '=', bundle.id)
      .execute();
    await recordIssue(app, unit, bundle, facts);
    tellEdges({ site_id: null, hostname: bundle.domain_name });
    return true;
  });
  if (isStored || !(await isChallengeInUse(app, bundle))) await withdrawChallenge(app, bundle);
  return isStored;
}

/** Counts the certificate towards the limits of its authority, and reports it to the audit log and to webhooks. */
async function recordIssue(
  app: App,
  { trx, audit }: UnitOfWork,
  bundle: IssuableBundle,
  { serialNumber, validUntil }: IssuedFacts,
): Promise<void> {
  const isRenewal = bundle.certificate !== null;
  const valid_until = new Date(validUntil).toISOString();
  await recordAttempt(trx, app, {
    organizationId: bundle.organization_id,
    domainName: bundle.domain_name,
    outcome: 'issued',
    // The first certificate from another authority is new to it.
    isRenewal: isRenewal && bundle.authority === app.authority.name,
  });
  await audit({
    action: isRenewal ? 'certificate.renew' : 'certificate.issue',
    resource_type: bundle.endpoint_id === null ? 'bundle' : 'endpoint',
    resource_id: bundle.endpoint_id ?? bundle.id,
    organization_id: bundle.organization_id,
    after: {
      domain_name: bundle.domain_name,
      authority: app.authority.title,
      serial_number: serialNumber,
      valid_until,
    },
  });
  if (bundle.organization_id === null) return;
  await queueWebhooks(trx, app, bundle.organization_id, 'certificate.issued', {
    hostname: bundle.domain_name,
    endpoint_id: bundle.endpoint_id,
    valid_until,
    is_renewal: isRenewal,
  });
}

/**
 * The authority's renewal window of the new certificate; if it cannot be read for any reason, it is read
 * later.
 */
async function askForWindow(
  app: App,
  chain: string,
): Promise<{ window: RenewalWindow | null; renewalInfoAt: number | null }> {
  const now = app.clock.now();
  try {
    const window = await app.authority.findRenewalWindow(chain);
    return { window, renewalInfoAt: window === null ? null : askAgainAt(window.askAgainAt, now) };
  } catch (error) {
    if (error instanceof AuthorityError) {
      app.logger.info({ err: error }, 'the authority provides no renewal window');
    } else app.logger.error({ err: error }, 'a renewal window could not be read');
    return { window: null, renewalInfoAt: now + ASK_AGAIN_AFTER_FAILURE_MS };
  }
}

/**
 * Whether the values may belong to a newer bundle by now: a hostname that is claimed again keeps its records.
 */
async function isChallengeInUse({ db }: App, { dns_challenge_id }: IssuableBundle): Promise<boolean> {
  const user = await db
    .selectFrom('certificate_bundles')
    .select('id')
    .where('dns_challenge_id', '=', dns_challenge_id)
    .executeTakeFirst();
  return user !== undefined;
}

/** Leftover values are harmless; the purge of leftovers tries again. */
async function withdrawChallenge(app: App, bundle: IssuableBundle): Promise<void> {
  try {
    await publishChallenge(app, bundle.dns_challenge_id, []);
  } catch (error) {
    app.logger.warn({ err: error, bundle: bundle.id }, 'challenge values could not be withdrawn');
  }
}
