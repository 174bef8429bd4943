import type { Selectable } from 'kysely';
import { type Executor, isPostgres, type Trx } from '#db/client.ts';
import type { BillingContactsTable } from '#db/schema/billing-contacts.ts';
import type { BillingCustomersTable } from '#db/schema/billing-customers.ts';
import type { BillingMode } from '#db/schema/billing-mode.ts';
import type { PaymentMethodsTable } from '#db/schema/payment-methods.ts';
import { AppError } from '#server/errors.ts';
import type { Customer } from './schema.ts';

export type ContactRow = Selectable<BillingContactsTable>;
export type CustomerRow = Selectable<BillingCustomersTable>;
export type PaymentMethodRow = Selectable<PaymentMethodsTable>;

/** An organization's billing in one mode. */
export interface Account {
  organizationId: string;
  mode: BillingMode;
}

export async function findContact(executor: Executor, account: Account): Promise<ContactRow | null> {
  const row = await executor
    .selectFrom('billing_contacts')
    .selectAll()
    .where('organization_id', '=', account.organizationId)
    .where('mode', '=', account.mode)
    .executeTakeFirst();
  return row ?? null;
}

/** Returns the contacts of many organizations by their ids; those without one have no entry. */
export async function findContacts(
  executor: Executor,
  mode: BillingMode,
  organizationIds: readonly string[],
): Promise<Map<string, ContactRow>> {
  const rows = await executor
    .selectFrom('billing_contacts')
    .selectAll()
    .where('organization_id', 'in', organizationIds)
    .where('mode', '=', mode)
    .execute();
  return new Map(rows.map((row) => [row.organization_id, row]));
}

/** Returns the customer as far as it was created, or null. */
export async function findCustomer(executor: Executor, account: Account): Promise<CustomerRow | null> {
  const row = await executor
    .selectFrom('billing_customers')
    .selectAll()
    .where('organization_id', '=', account.organizationId)
    .where('mode', '=', account.mode)
    .executeTakeFirst();
  return row ?? null;
}

/** A customer that exists at the provider. */
export type KnownCustomer = CustomerRow & { provider_id: string };

/**
 * Returns the customer at the provider.
 * @throws billing_customer_not_found
 */
export async function requireCustomer(executor: Executor, account: Account): Promise<KnownCustomer> {
  const row = await findCustomer(executor, account);
  if (!row || row.provider_id === null) throw new AppError('billing_customer_not_found');
  return { ...row, provider_id: row.provider_id };
}

/**
 * Locks the customer against concurrent changes until this transaction ends.
 * @throws billing_customer_not_found
 */
export async function lockCustomer(trx: Trx, account: Account): Promise<KnownCustomer> {
  // On SQLite there is one writer at a time.
  if (isPostgres(trx)) {
    await trx
      .selectFrom('billing_customers')
      .select('mode')
      .where('organization_id', '=', account.organizationId)
      .where('mode', '=', account.mode)
      .forUpdate()
      .execute();
  }
  return requireCustomer(trx, account);
}

/** Changes the customer, and marks it to be sent to the provider. */
export async function touchCustomer(
  trx: Trx,
  account: Account,
  values: Partial<Pick<CustomerRow, 'default_payment_method_id'>>,
  now: number,
): Promise<void> {
  await trx
    .updateTable('billing_customers')
    .set({ ...values, updated_at: now, synced_at: null })
    .where('organization_id', '=', account.organizationId)
    .where('mode', '=', account.mode)
    .execute();
}

/** Returns the cards that were not removed, oldest first. */
export async function listPaymentMethods(executor: Executor, account: Account): Promise<PaymentMethodRow[]> {
  return executor
    .selectFrom('payment_methods')
    .selectAll()
    .where('organization_id', '=', account.organizationId)
    .where('mode', '=', account.mode)
    .where('removed_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/**
 * Returns the customer in its wire format.
 * @throws billing_customer_not_found
 */
export async function describeCustomer(executor: Executor, account: Account): Promise<Customer> {
  const { provider_id, default_payment_method_id } = await requireCustomer(executor, account);
  const contact = await findContact(executor, account);
  const methods = await listPaymentMethods(executor, account);
  return {
    id: provider_id,
    payment_methods: methods.map(({ id, brand, last4, exp_month, exp_year }) => ({
      id,
      brand,
      last4,
      exp_month,
      exp_year,
    })),
    default_payment_method_id,
    billing_email: contact?.email ?? '',
    billing_name: contact?.name ?? '',
    billing_company: contact?.company ?? null,
    billing_address_line1: contact?.address_line1 ?? null,
    billing_address_line2: contact?.address_line2 ?? null,
    billing_city: contact?.city ?? null,
    billing_province: contact?.province ?? null,
    billing_postal_code: contact?.postal_code ?? null,
    billing_country: contact?.country ?? null,
    billing_phone: contact?.phone ?? null,
    tax_ids: readTaxIds(contact?.tax_ids ?? '{}'),
  };
}

/** Parses stored tax numbers by type. */
export function readTaxIds(stored: string): Record<string, string> {
  return JSON.parse(stored);
}
