import type { BillingMode } from '#db/schema/billing-mode.ts';
import type { App } from '#server/context.ts';
import { openStuckWork } from '../../stuck-work/open-stuck-work.ts';
import { formatMoney } from '../invoices/invoice-words.ts';

/** Refunds that a bank rejected are under this name in the list of stuck work. */
export const REJECTED_REFUNDS_JOB = 'rejected-refunds';

/**
 * Puts every refund that the bank of the card rejected on the list of stuck work, until the operator has given the
 * money back by other means: the provider keeps it and does not try again.
 */
export async function reportRejectedRefunds(app: App, mode: BillingMode): Promise<void> {
  const rejected = await app.db
    .selectFrom('payment_reversals')
    .innerJoin('invoices', 'invoices.id', 'payment_reversals.invoice_id')
    .select(['payment_reversals.provider_id', 'payment_reversals.amount_cents', 'payment_reversals.reason'])
    .select(['invoices.number', 'invoices.id as invoice_id'])
    .where('payment_reversals.mode', '=', mode)
    .where('payment_reversals.kind', '=', 'refund')
    .where('payment_reversals.status', '=', 'failed')
    .where('payment_reversals.repaid_at', 'is', null)
    .orderBy('payment_reversals.provider_id')
    .execute();
  if (rejected.length === 0) return;
  const stuck = await openStuckWork(app, REJECTED_REFUNDS_JOB);
  for (const { provider_id, amount_cents, reason, number, invoice_id } of rejected) {
    if (stuck.isWaiting(provider_id)) continue;
    const invoice = number ?? invoice_id;
    const amount = formatMoney(amount_cents, 'en-CA');
    const said = `a bank rejected the refund of ${amount} of the invoice ${invoice} (${reason ?? 'unknown'}): give the money back by other means, then run billing repaid ${invoice}`;
    await stuck.fail(provider_id, new Error(said));
  }
}
