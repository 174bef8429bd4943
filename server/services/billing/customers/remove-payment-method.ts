import type { z } from 'zod';
import type { OrganizationContext, RequestContext } from '#server/context.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { retryOpenInvoices } from '../payments/retry-open-invoices.ts';
import { type Account, listPaymentMethods, lockCustomer, touchCustomer } from '../queries.ts';
import { requireBillingRight } from '../require-payments.ts';
import { paymentMethodInput } from '../schema.ts';
import { requirePaymentMethod } from './require-payment-method.ts';
import { trySyncCustomer } from './sync-customer.ts';

/**
 * Removes a card: it is no longer charged. If it was the default, the oldest remaining card replaces it, so
 * that no organization with a card is locked out.
 * @throws billing_off, person_required, permission_required, billing_customer_not_found,
 * payment_method_not_found
 */
export async function removePaymentMethod(
  context: OrganizationContext,
  input: z.input<typeof paymentMethodInput>,
): Promise<void> {
  const { payments, account } = requireBillingRight(context, 'billing.manage');
  const { payment_method_id } = paymentMethodInput.parse(input);
  const { app } = context;
  const providerId = await forgetCard(context, account, payment_method_id);
  const { provider } = await payments.open();
  // If the card stays at the provider, we still never charge it, and the reconciliation detaches it.
  await provider
    .detachCard(providerId)
    .catch((error: unknown) =>
      app.logger.warn({ err: error }, 'the removal of a card reaches the payment provider later'),
    );
  await trySyncCustomer(app, account);
}

/** Marks a card as removed and returns its id at the provider. */
export async function forgetCard(
  context: RequestContext,
  account: Account,
  paymentMethodId: string,
): Promise<string> {
  return inUnitOfWork(context, async ({ trx, now, audit }) => {
    const customer = await lockCustomer(trx, account);
    const method = await requirePaymentMethod(trx, account, paymentMethodId);
    await trx.updateTable('payment_methods').set({ removed_at: now }).where('id', '=', method.id).execute();
    if (customer.default_payment_method_id === method.id) {
      const [next] = await listPaymentMethods(trx, account);
      await touchCustomer(trx, account, { default_payment_method_id: next?.id ?? null }, now);
      if (next) await retryOpenInvoices(trx, account, now);
    }
    await audit({
      action: 'payment_method.remove',
      resource_type: 'card',
      resource_id: method.id,
      organization_id: account.organizationId,
      before: { brand: method.brand, last4: method.last4 },
    });
    return method.provider_id;
  });
}
