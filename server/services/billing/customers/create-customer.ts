import type { App, OrganizationContext } from '#server/context.ts';
import { requireLiveOrganization } from '../../organizations/require-live-organization.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { type Account, describeCustomer, findContact, findCustomer, touchCustomer } from '../queries.ts';
import { askProvider, requireBillingRight } from '../require-payments.ts';
import { type CreateCustomerInput, type Customer, createCustomerInput } from '../schema.ts';
import { customerKey, toProfile } from './customer-profile.ts';
import { saveContact } from './save-contact.ts';
import { trySyncCustomer } from './sync-customer.ts';

/**
 * Sets up billing for the organization: its contact here and its customer at the payment provider. Repeating
 * it replaces the contact, so a caller who lost the response, or goes back a step, gets the same result.
 * @throws billing_off, person_required, permission_required, invalid_input, payments_unavailable: the contact
 * is kept then, and a retry continues
 */
export async function createCustomer(
  context: OrganizationContext,
  input: CreateCustomerInput,
): Promise<Customer> {
  const { account } = requireBillingRight(context, 'billing.manage');
  const { email, name, company_name, country, tax_ids, ...address } = createCustomerInput.parse(input);
  const { app } = context;
  await inUnitOfWork(context, async ({ trx, now, audit }) => {
    await requireLiveOrganization(trx, account.organizationId);
    const known = await findContact(trx, account);
    const contact = {
      ...address,
      email,
      name,
      company: company_name,
      country: country === '' ? null : country,
      phone: known?.phone ?? null,
      tax_ids: tax_ids ?? {},
    };
    const place = await saveContact(trx, account, contact, now);
    await trx
      .insertInto('billing_customers')
      .values({
        organization_id: account.organizationId,
        mode: account.mode,
        provider_id: null,
        default_payment_method_id: null,
        created_at: now,
        updated_at: now,
        synced_at: null,
      })
      .onConflict((conflict) => conflict.columns(['organization_id', 'mode']).doNothing())
      .execute();
    await touchCustomer(trx, account, {}, now);
    await audit({
      action: known === null ? 'billing.setup' : 'billing.contact',
      resource_type: 'billing',
      resource_id: account.organizationId,
      organization_id: account.organizationId,
      after: place,
    });
  });
  await introduceCustomer(app, account);
  await trySyncCustomer(app, account);
  return describeCustomer(app.db, account);
}

/** Creates the customer at the provider, once. */
async function introduceCustomer(app: App, account: Account): Promise<void> {
  const customer = await findCustomer(app.db, account);
  const contact = await findContact(app.db, account);
  if (!app.payments || !contact || !customer || customer.provider_id !== null) return;
  const { provider } = await app.payments.open();
  const profile = toProfile(contact);
  const { id } = await askProvider(() => provider.createCustomer(customerKey(profile), profile));
  await app.db
    .updateTable('billing_customers')
    .set({ provider_id: id })
    .where('organization_id', '=', account.organizationId)
    .where('mode', '=', account.mode)
    .where('provider_id', 'is', null)
    .execute();
}
