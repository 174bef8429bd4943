import type { OrganizationContext } from '#server/context.ts';
import { describeCustomer } from '../queries.ts';
import { requireBillingRight } from '../require-payments.ts';
import type { Customer } from '../schema.ts';

/**
 * Returns the billing customer of the organization.
 * @throws billing_off, person_required, billing_customer_not_found
 */
export async function getCustomer(context: OrganizationContext): Promise<Customer> {
  const { account } = requireBillingRight(context, 'billing.read');
  return describeCustomer(context.app.db, account);
}
