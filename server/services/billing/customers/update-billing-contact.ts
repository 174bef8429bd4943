import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { describeCustomer, findContact, lockCustomer, touchCustomer } from '../queries.ts';
import { requireBillingRight } from '../require-payments.ts';
import { type Customer, hasAddress, updateContactInput } from '../schema.ts';
import { saveContact } from './save-contact.ts';
import { trySyncCustomer } from './sync-customer.ts';

/**
 * Replaces the billing contact and returns the customer. Fields that an invoice requires are kept when
 * absent. Existing invoices keep the contact that they were made out to.
 * @throws billing_off, person_required, permission_required, invalid_input, billing_customer_not_found
 */
export async function updateBillingContact(
  context: OrganizationContext,
  input: z.input<typeof updateContactInput>,
): Promise<Customer> {
  const { account } = requireBillingRight(context, 'billing.manage');
  const typed = updateContactInput.parse(input);
  const { app } = context;
  await inUnitOfWork(context, async ({ trx, now, audit }) => {
    await lockCustomer(trx, account);
    const known = await findContact(trx, account);
    const address = hasAddress(typed)
      ? {
          address_line1: typed.billing_address_line1,
          address_line2: typed.billing_address_line2,
          city: typed.billing_city,
          province: typed.billing_province,
          postal_code: typed.billing_postal_code,
          country: typed.billing_country || null,
        }
      : {
          address_line1: known?.address_line1 ?? null,
          address_line2: known?.address_line2 ?? null,
          city: known?.city ?? null,
          province: known?.province ?? null,
          postal_code: known?.postal_code ?? null,
          country: known?.country ?? null,
        };
    const contact = {
      ...address,
      email: typed.billing_email ?? known?.email ?? '',
      name: typed.billing_name ?? known?.name ?? '',
      company: typed.billing_company,
      phone: typed.billing_phone,
      tax_ids: typed.tax_ids ?? {},
    };
    const place = await saveContact(trx, account, contact, now);
    await touchCustomer(trx, account, {}, now);
    await audit({
      action: 'billing.contact',
      resource_type: 'billing',
      resource_id: account.organizationId,
      organization_id: account.organizationId,
      before: { country: known?.country ?? null, province: known?.province ?? null },
      after: place,
    });
  });
  await trySyncCustomer(app, account);
  return describeCustomer(app.db, account);
}
