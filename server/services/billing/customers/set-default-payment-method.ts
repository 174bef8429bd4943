import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { retryOpenInvoices } from '../payments/retry-open-invoices.ts';
import { describeCustomer, lockCustomer, touchCustomer } from '../queries.ts';
import { requireBillingRight } from '../require-payments.ts';
import { type Customer, paymentMethodInput } from '../schema.ts';
import { requirePaymentMethod } from './require-payment-method.ts';
import { trySyncCustomer } from './sync-customer.ts';

/**
 * Makes a card the default, and returns the customer. Open invoices are attempted with it immediately.
 * @throws billing_off, person_required, permission_required, billing_customer_not_found,
 * payment_method_not_found
 */
export async function setDefaultPaymentMethod(
  context: OrganizationContext,
  input: z.input<typeof paymentMethodInput>,
): Promise<Customer> {
  const { account } = requireBillingRight(context, 'billing.manage');
  const { payment_method_id } = paymentMethodInput.parse(input);
  const { app } = context;
  await inUnitOfWork(context, async ({ trx, now, audit }) => {
    const customer = await lockCustomer(trx, account);
    const method = await requirePaymentMethod(trx, account, payment_method_id);
    if (customer.default_payment_method_id === method.id) return;
    await touchCustomer(trx, account, { default_payment_method_id: method.id }, now);
    await retryOpenInvoices(trx, account, now);
    await audit({
      action: 'payment_method.default',
      resource_type: 'card',
      resource_id: method.id,
      organization_id: account.organizationId,
      after: { brand: method.brand, last4: method.last4 },
    });
  });
  await trySyncCustomer(app, account);
  return describeCustomer(app.db, account);
}
