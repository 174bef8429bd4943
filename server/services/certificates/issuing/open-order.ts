import { AuthorityError } from '#server/certificate-authority/authority.ts';
import type { App } from '#server/context.ts';
import { forgetAttempt, recordAttempt, requireWithinLimits } from './limit-attempts.ts';
import type { OrderRow } from './order-certificate.ts';
import { makeOrderKey } from './order-key.ts';
import { endOrder } from './record-issue-failure.ts';
import type { IssuableBundle } from './select-issuable.ts';

/**
 * Returns the open order of a bundle: the existing one, otherwise a new one with a new key. The key is stored
 * before the authority is contacted, and the order's address as soon as it is known, so that a crash costs no
 * second order.
 * @throws IssueFailure authority_limit, AuthorityError
 */
export async function openOrder(
  app: App,
  bundle: IssuableBundle,
): Promise<{ order: OrderRow; isResumed: boolean }> {
  const { authority } = app;
  const found = await findOrder(app, bundle.id);
  // The order does not exist at another authority, nor for another account.
  if (found && found.authority !== authority.name) await endOrder(app.db, found);
  else if (found && found.order_url !== '') return { order: await resume(app, found), isResumed: true };
  const isSameAuthority = bundle.authority === authority.name;
  const replaces = isSameAuthority ? bundle.certificate : null;
  const isRenewal = replaces !== null;
  await requireWithinLimits(app, {
    organizationId: bundle.organization_id,
    domainName: bundle.domain_name,
    isRenewal,
    // An authority with renewal windows exempts renewals that name what they replace.
    isCalledFor: isRenewal && bundle.renewal_info_at !== null,
  });
  const order = await prepareOrder(app, bundle.id);
  const attempt = await recordAttempt(app.db, app, {
    organizationId: bundle.organization_id,
    domainName: bundle.domain_name,
    outcome: 'ordered',
    isRenewal,
  });
  const order_url = await authority
    .openOrder([bundle.domain_name], replaces)
    .catch(async (error: unknown) => {
      if (error instanceof AuthorityError) await forgetAttempt(app.db, attempt);
      throw error;
    });
  const opened = await app.db
    .updateTable('certificate_orders')
    .set({ order_url, updated_at: app.clock.now() })
    .where('bundle_id', '=', bundle.id)
    .where('order_url', '=', '')
    .returningAll()
    .executeTakeFirst();
  return { order: opened ?? { ...order, order_url }, isResumed: false };
}

/** From now on the order is being worked on again: the console shows its step. */
async function resume(app: App, order: OrderRow): Promise<OrderRow> {
  const updated_at = app.clock.now();
  await app.db
    .updateTable('certificate_orders')
    .set({ updated_at })
    .where('bundle_id', '=', order.bundle_id)
    .where('order_url', '=', order.order_url)
    .execute();
  return { ...order, updated_at };
}

/** Returns the row of an order that is about to be opened. */
async function prepareOrder(app: App, bundleId: string): Promise<OrderRow> {
  const found = await findOrder(app, bundleId);
  if (found) return found;
  const now = app.clock.now();
  const row: OrderRow = {
    bundle_id: bundleId,
    authority: app.authority.name,
    order_url: '',
    key_sealed: app.sealer.seal(await makeOrderKey(), bundleId),
    step: 'order',
    started_at: now,
    updated_at: now,
  };
  await app.db.insertInto('certificate_orders').values(row).execute();
  return row;
}

async function findOrder(app: App, bundleId: string): Promise<OrderRow | null> {
  const row = await app.db
    .selectFrom('certificate_orders')
    .selectAll()
    .where('bundle_id', '=', bundleId)
    .executeTakeFirst();
  return row ?? null;
}
