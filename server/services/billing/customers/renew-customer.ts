import { inTransaction } from '#db/transaction.ts';
import type { App } from '#server/context.ts';
import { PaymentError } from '#server/payments/payment-error.ts';
import type { PaymentProvider } from '#server/payments/payment-provider.ts';
import { type Account, findContact, lockCustomer } from '../queries.ts';
import { customerKey, toProfile } from './customer-profile.ts';

/**
 * Makes a call of the provider for a customer. If the customer was deleted there, it is created again from the contact, and the call
 * is made for the new one. The cards were deleted with the old one: the organization has none until it enters one.
 */
export async function callForCustomer<T>(
  app: App,
  account: Account,
  provider: PaymentProvider,
  customerId: string,
  call: (customerId: string) => Promise<T>,
): Promise<T> {
  try {
    return await call(customerId);
  } catch (error) {
    if (!(error instanceof PaymentError) || error.kind !== 'missing') throw error;
    // Something else may be missing; and with the keys of another account, every customer is.
    if (!(await provider.isCustomerDeleted(customerId))) throw error;
    const renewed = await renewCustomer(app, account, provider, customerId);
    if (renewed === null) throw error;
    return call(renewed);
  }
}

async function renewCustomer(
  app: App,
  account: Account,
  provider: PaymentProvider,
  deletedId: string,
): Promise<string | null> {
  const contact = await findContact(app.db, account);
  if (!contact) return null;
  const profile = toProfile(contact);
  const { id } = await provider.createCustomer(customerKey(profile, deletedId), profile);
  const now = app.clock.now();
  await inTransaction(app.db, async (trx) => {
    const { provider_id } = await lockCustomer(trx, account);
    if (provider_id !== deletedId) return;
    await trx
      .updateTable('billing_customers')
      .set({ provider_id: id, default_payment_method_id: null, updated_at: now, synced_at: null })
      .where('organization_id', '=', account.organizationId)
      .where('mode', '=', account.mode)
      .execute();
    await trx
      .updateTable('payment_methods')
      .set({ removed_at: now })
      .where('organization_id', '=', account.organizationId)
      .where('mode', '=', account.mode)
      .where('removed_at', 'is', null)
      .execute();
  });
  app.logger.warn(
    { organization_id: account.organizationId, deleted: deletedId, customer: id },
    'a billing customer was deleted at the payment provider and created again, without cards',
  );
  return id;
}
