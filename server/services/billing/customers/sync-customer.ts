import type { App, RequestContext } from '#server/context.ts';
import type { PayerTaxId } from '#server/payments/payment-provider.ts';
import { workThrough } from '../../stuck-work/work-through.ts';
import { type Account, type ContactRow, findContact, findCustomer, readTaxIds } from '../queries.ts';
import { toProfile } from './customer-profile.ts';
import { callForCustomer } from './renew-customer.ts';

/** GST and HST are one number; numbers that cannot be validated are only on our own invoice. */
function toPayerTaxIds(contact: ContactRow): PayerTaxId[] {
  const numbers = readTaxIds(contact.tax_ids);
  const federal = [...new Set([numbers.GST, numbers.HST])].filter((value) => value !== undefined);
  return [
    ...federal.map((value): PayerTaxId => ({ type: 'ca_gst_hst', value })),
    ...(numbers.QST === undefined ? [] : [{ type: 'ca_qst', value: numbers.QST } as const]),
  ];
}

/**
 * Sends the provider the current contact, tax numbers and default card of a customer. Changes made in the
 * meantime are sent the next time.
 */
async function syncCustomer(app: App, account: Account): Promise<void> {
  const { payments, db } = app;
  const customer = await findCustomer(db, account);
  const contact = await findContact(db, account);
  if (!payments || !contact || customer?.provider_id == null) return;
  const { provider_id, default_payment_method_id, updated_at } = customer;
  const card =
    default_payment_method_id === null ? undefined : await findCardOf(app, default_payment_method_id);
  const { provider } = await payments.open();
  await callForCustomer(app, account, provider, provider_id, async (id) => {
    // A customer who was created again has none of the cards.
    await provider.updateCustomer(id, toProfile(contact), id === provider_id ? (card ?? null) : null);
    await provider.setTaxIds(id, toPayerTaxIds(contact));
  });
  await db
    .updateTable('billing_customers')
    .set({ synced_at: app.clock.now() })
    .where('organization_id', '=', account.organizationId)
    .where('mode', '=', account.mode)
    .where('updated_at', '=', updated_at)
    .execute();
}

async function findCardOf({ db }: App, paymentMethodId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('payment_methods')
    .select('provider_id')
    .where('id', '=', paymentMethodId)
    .executeTakeFirst();
  return row?.provider_id;
}

/** Updates the provider now if it is available; otherwise the job does. */
export async function trySyncCustomer(app: App, account: Account): Promise<void> {
  await syncCustomer(app, account).catch((error: unknown) =>
    app.logger.warn(
      { err: error, organization_id: account.organizationId },
      'a change of a billing customer reaches the payment provider later',
    ),
  );
}

/** Sends the provider every change that it does not have yet. */
export async function syncCustomers({ app }: RequestContext, stopping?: AbortSignal): Promise<number> {
  const { payments } = app;
  if (!payments) return 0;
  const { mode } = payments;
  return workThrough(app, {
    job: 'sync-billing-customers',
    list: (after, limit) =>
      app.db
        .selectFrom('billing_customers')
        .select('organization_id')
        .where('mode', '=', mode)
        .where('synced_at', 'is', null)
        .where('provider_id', 'is not', null)
        .where('organization_id', '>', after)
        .orderBy('organization_id')
        .limit(limit)
        .execute(),
    nameOf: ({ organization_id }) => organization_id,
    work: async ({ organization_id }) => {
      await syncCustomer(app, { organizationId: organization_id, mode });
      return true;
    },
    stopping,
  });
}
