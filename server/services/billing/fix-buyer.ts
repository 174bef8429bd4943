import { inTransaction } from '#db/transaction.ts';
import type { App } from '#server/context.ts';
import { type InvoiceRow, lockInvoice } from './follow-invoice.ts';
import { findContact, findCustomer, readTaxIds } from './queries.ts';
import type { Buyer, Seller } from './schema.ts';
import { readSnapshot, recomputeInvoice } from './snapshot.ts';
import { placeOf } from './tax-place.ts';

/** Why an invoice is not sent. */
export type HoldReason = 'no_customer' | 'no_address';

/**
 * Fixes the buyer of a draft, once: the contact, the seller and the taxes are stored in one transaction, and
 * later changes do not affect it. Without a customer or an address the draft is held. Returns the updated
 * invoice.
 */
export async function fixBuyer(app: App, invoiceId: string): Promise<InvoiceRow> {
  const now = app.clock.now();
  return inTransaction(app.db, async (trx) => {
    const row = await lockInvoice(trx, invoiceId);
    if (row.status !== 'draft' || row.buyer !== null) return row;
    const account = { organizationId: row.organization_id, mode: row.mode };
    const hold = async (hold_reason: HoldReason) => {
      await trx
        .updateTable('invoices')
        .set({ hold_reason, updated_at: now })
        .where('id', '=', row.id)
        .execute();
      return { ...row, hold_reason };
    };
    const contact = await findContact(trx, account);
    const customer = await findCustomer(trx, account);
    if (!contact || customer?.provider_id == null) return hold('no_customer');
    const place = placeOf(contact);
    if (place === null) return hold('no_address');
    const { snapshot } = await trx
      .selectFrom('billing_months')
      .select('snapshot')
      .where('organization_id', '=', row.organization_id)
      .where('mode', '=', row.mode)
      .where('year', '=', row.billing_year)
      .where('month', '=', row.billing_month)
      .executeTakeFirstOrThrow();
    const { registrations, seller } = app.config.billing;
    const month = { year: row.billing_year, month: row.billing_month };
    const figures = recomputeInvoice(month, readSnapshot(snapshot), place, registrations);
    const buyer: Buyer = {
      name: contact.name,
      company: contact.company,
      email: contact.email,
      phone: contact.phone,
      address_line1: contact.address_line1,
      address_line2: contact.address_line2,
      city: contact.city,
      province: contact.province,
      postal_code: contact.postal_code,
      country: contact.country,
      tax_ids: readTaxIds(contact.tax_ids),
    };
    const sold: Seller = { ...seller, registrations: { ...registrations } };
    if (figures.taxes.length > 0) {
      await trx
        .insertInto('invoice_taxes')
        .values(
          figures.taxes.map((tax, position) => ({
            invoice_id: row.id,
            mode: row.mode,
            position,
            name: tax.name,
            registration: tax.registration,
            rate_milli: tax.rateMilli,
            amount_cents: tax.amountCents,
          })),
        )
        .execute();
    }
    const values = {
      buyer: JSON.stringify(buyer),
      seller: JSON.stringify(sold),
      tax_reason: figures.taxReason,
      total_cents: figures.totalCents,
      amount_due_cents: figures.totalCents,
      hold_reason: null,
      updated_at: now,
    };
    await trx.updateTable('invoices').set(values).where('id', '=', row.id).execute();
    return { ...row, ...values };
  });
}
