import type { Trx } from '#db/client.ts';
import { inTransaction } from '#db/transaction.ts';
import type { App } from '#server/context.ts';
import { type InvoiceRow, lockInvoices } from '../invoices/follow-invoice.ts';
import type { Buyer, Seller } from '../invoices/schema.ts';
import { type ContactRow, type CustomerRow, findContacts, readTaxIds } from '../queries.ts';
import { formatMonth } from './month-rules.ts';
import { readSnapshot, recomputeInvoice } from './snapshot.ts';
import { placeOf } from './tax-place.ts';

/** Why an invoice is not sent. */
export type HoldReason = 'no_customer' | 'no_address';

/** What of a row a buyer changes. */
type Fixed = Pick<
  InvoiceRow,
  | 'buyer'
  | 'seller'
  | 'tax_reason'
  | 'tax_place'
  | 'total_cents'
  | 'amount_due_cents'
  | 'hold_reason'
  | 'updated_at'
>;

/**
 * Fixes the buyers of drafts, each once: the contact, the seller and the taxes are stored in one transaction, and later changes
 * do not affect them. Without a customer or an address a draft is held. Returns the updated invoices.
 */
export async function fixBuyers(app: App, invoiceIds: readonly string[]): Promise<InvoiceRow[]> {
  return inTransaction(app.db, async (trx) => {
    const rows = await lockInvoices(trx, invoiceIds);
    const drafts = rows.filter(({ status, buyer }) => status === 'draft' && buyer === null);
    const fixed = new Map<string, InvoiceRow>();
    for (const [mode, own] of Map.groupBy(drafts, ({ mode }) => mode)) {
      for (const row of await fixBuyersOf(trx, app, mode, own)) fixed.set(row.id, row);
    }
    return rows.map((row) => fixed.get(row.id) ?? row);
  });
}

async function fixBuyersOf(
  trx: Trx,
  app: App,
  mode: InvoiceRow['mode'],
  drafts: readonly InvoiceRow[],
): Promise<InvoiceRow[]> {
  const { contacts, customers, snapshots } = await readParties(trx, mode, drafts);
  const made = drafts.map((row) => {
    const { id, organization_id } = row;
    const [contact, customer] = [contacts.get(organization_id), customers.get(organization_id)];
    return makeOut(app, row, { contact, customer, snapshot: snapshots.get(id) });
  });
  const taxes = made.flatMap(({ row, taxes }) =>
    taxes.map((tax, position) => ({
      invoice_id: row.id,
      mode,
      position,
      name: tax.name,
      registration: tax.registration,
      rate_milli: tax.rateMilli,
      amount_cents: tax.amountCents,
    })),
  );
  if (taxes.length > 0) await trx.insertInto('invoice_taxes').values(taxes).execute();
  const rows = made.map(({ row }) => row);
  await updateInvoices(trx, rows);
  return rows;
}

/** Returns whom drafts are made out to, by organization, and what they were calculated from, by invoice. */
async function readParties(trx: Trx, mode: InvoiceRow['mode'], drafts: readonly InvoiceRow[]) {
  const ids = drafts.map(({ organization_id }) => organization_id);
  const invoiceIds = drafts.map(({ id }) => id);
  const contacts = await findContacts(trx, mode, ids);
  const customers = await trx
    .selectFrom('billing_customers')
    .selectAll()
    .where('organization_id', 'in', ids)
    .where('mode', '=', mode)
    .execute();
  const months = await trx
    .selectFrom('billing_months')
    .select(['invoice_id', 'snapshot'])
    .where('organization_id', 'in', ids)
    .where('mode', '=', mode)
    .where('invoice_id', 'in', invoiceIds)
    .execute();
  return {
    contacts,
    customers: new Map(customers.map((row) => [row.organization_id, row])),
    snapshots: new Map(months.map(({ invoice_id, snapshot }) => [invoice_id, snapshot])),
  };
}

/** Changes many rows with one statement: all of them are there and locked. */
async function updateInvoices(trx: Trx, rows: readonly InvoiceRow[]): Promise<void> {
  await trx
    .insertInto('invoices')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(({ ref }) => ({
        buyer: ref('excluded.buyer'),
        seller: ref('excluded.seller'),
        tax_reason: ref('excluded.tax_reason'),
        tax_place: ref('excluded.tax_place'),
        total_cents: ref('excluded.total_cents'),
        amount_due_cents: ref('excluded.amount_due_cents'),
        hold_reason: ref('excluded.hold_reason'),
        updated_at: ref('excluded.updated_at'),
      })),
    )
    .execute();
}

/** What is known of the buyer of a draft, and the month that it bills. */
interface KnownBuyer {
  contact: ContactRow | undefined;
  customer: CustomerRow | undefined;
  /** JSON of a snapshot. */
  snapshot: string | undefined;
}

/** Returns a draft made out to its buyer, or held, with the taxes that are due. */
function makeOut(
  app: App,
  row: InvoiceRow,
  { contact, customer, snapshot }: KnownBuyer,
): { row: InvoiceRow; taxes: ReturnType<typeof recomputeInvoice>['taxes'] } {
  const updated_at = app.clock.now();
  const hold = (hold_reason: HoldReason) => ({ row: { ...row, hold_reason, updated_at }, taxes: [] });
  if (!contact || customer?.provider_id == null) return hold('no_customer');
  const address = placeOf(contact);
  if (address === null) return hold('no_address');
  const month = { year: row.billing_year, month: row.billing_month };
  if (snapshot === undefined) throw new Error(`${formatMonth(month)} of the invoice ${row.id} is not closed`);
  const { registrations, seller } = app.config.billing;
  const frozen = readSnapshot(snapshot);
  // The month was supplied where the buyer was then; a later address is that of the months to come.
  const place = frozen.place ?? address;
  const isElsewhere = place.country !== address.country || place.province !== address.province;
  const figures = recomputeInvoice(month, frozen, place, registrations);
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
  const fixed: Fixed = {
    buyer: JSON.stringify(buyer),
    seller: JSON.stringify(sold),
    tax_reason: figures.taxReason,
    tax_place: isElsewhere ? JSON.stringify(place) : null,
    total_cents: figures.totalCents,
    amount_due_cents: figures.totalCents,
    hold_reason: null,
    updated_at,
  };
  return { row: { ...row, ...fixed }, taxes: figures.taxes };
}
