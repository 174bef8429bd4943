import type { RequestContext } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import type { Card } from '#server/payments/payment-provider.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { retryOpenInvoices } from '../payments/retry-open-invoices.ts';
import { type Account, lockCustomer, touchCustomer } from '../queries.ts';

/**
 * Stores a card of a customer, once however often it is reported; the first one becomes the default in the
 * same transaction. A removed card stays removed. Returns whether it was new.
 */
export async function keepCard(context: RequestContext, account: Account, card: Card): Promise<boolean> {
  return inUnitOfWork(context, async ({ trx, now, audit }) => {
    const customer = await lockCustomer(trx, account);
    if (card.customerId !== customer.provider_id) return false;
    const id = newId(now);
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('payment_methods')
      .values({
        id,
        organization_id: account.organizationId,
        mode: account.mode,
        provider_id: card.id,
        brand: card.brand,
        last4: card.last4,
        exp_month: card.expMonth,
        exp_year: card.expYear,
        created_at: now,
        removed_at: null,
      })
      .onConflict((conflict) => conflict.columns(['mode', 'provider_id']).doNothing())
      .executeTakeFirstOrThrow();
    if ((numInsertedOrUpdatedRows ?? 0n) === 0n) return false;
    const isFirst = customer.default_payment_method_id === null;
    if (isFirst) {
      await touchCustomer(trx, account, { default_payment_method_id: id }, now);
      await retryOpenInvoices(trx, account, now);
    }
    await audit({
      action: 'payment_method.add',
      resource_type: 'card',
      resource_id: id,
      organization_id: account.organizationId,
      after: { brand: card.brand, last4: card.last4, is_default: isFirst },
    });
    return true;
  });
}
