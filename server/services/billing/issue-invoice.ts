import type { App, RequestContext } from '#server/context.ts';
import { PaymentError } from '#server/payments/payment-error.ts';
import type {
  InvoiceLineDraft,
  PaymentProvider,
  ProviderInvoice,
} from '#server/payments/payment-provider.ts';
import type { Language } from '../identity/rules.ts';
import { findAdministrators } from '../organizations/find-administrators.ts';
import { workThrough } from '../stuck-work/work-through.ts';
import { fixBuyer } from './fix-buyer.ts';
import { applyProviderInvoice, type InvoiceRow } from './follow-invoice.ts';
import { invoiceKey, shareCents } from './invoice-rules.ts';
import { describeLine, describeSeller, formatMonthName } from './invoice-words.ts';
import { listInvoiceIds } from './list-invoice-ids.ts';
import { type BillingMonth, monthEnd, monthStart } from './month-rules.ts';
import { requireCustomer } from './queries.ts';
import { PROVIDER_CALLS_AT_ONCE } from './require-payments.ts';
import { sellerSchema } from './schema.ts';

/**
 * Takes a draft to where it can be paid, from wherever an earlier attempt has left it: the buyer is fixed,
 * the provider's invoice found by its key or created, its lines added, its totals compared with ours, and
 * only then is it finalized. If they differ, it is held for the operator and never finalized.
 */
export async function issueInvoice(context: RequestContext, invoiceId: string): Promise<InvoiceRow> {
  const { app } = context;
  const row = await fixBuyer(app, invoiceId);
  if (row.status !== 'draft' || row.hold_reason !== null || !app.payments) return row;
  const { provider } = await app.payments.open();
  const language = await languageOf(app, row.organization_id);
  const key = invoiceKey(row.organization_id, monthOfRow(row));
  let seen = await findOrCreate(app, provider, row, key, language);
  if (seen.status === 'draft') {
    const lines = await describeLines(app, row, language);
    if (seen.lineCount === 0 && lines.length > 0) seen = await provider.addInvoiceLines(seen.id, key, lines);
    requireSameTotals(row, seen, lines.length);
    seen = await provider.finalizeInvoice(seen.id, key);
  }
  return applyProviderInvoice(context, row.id, seen);
}

const monthOfRow = (row: InvoiceRow): BillingMonth => ({ year: row.billing_year, month: row.billing_month });

async function findOrCreate(
  app: App,
  provider: PaymentProvider,
  row: InvoiceRow,
  key: string,
  language: Language,
): Promise<ProviderInvoice> {
  const account = { organizationId: row.organization_id, mode: row.mode };
  if (row.provider_id !== null) {
    try {
      return await provider.getInvoice(row.provider_id);
    } catch (error) {
      // A draft that was deleted at the provider is created again.
      if (!(error instanceof PaymentError) || error.kind !== 'missing') throw error;
    }
  }
  const customer = await requireCustomer(app.db, account);
  const found = await provider.findInvoice(customer.provider_id, key);
  const seen =
    found ??
    (await provider.createInvoice({
      key,
      customerId: customer.provider_id,
      organizationId: row.organization_id,
      description: formatMonthName(monthOfRow(row), language),
      footer: describeSeller(sellerSchema.parse(JSON.parse(row.seller ?? '{}')), language),
    }));
  await app.db.updateTable('invoices').set({ provider_id: seen.id }).where('id', '=', row.id).execute();
  return seen;
}

/** The provider requires taxes by line: each is distributed among the lines to the cent. */
async function describeLines(app: App, row: InvoiceRow, language: Language): Promise<InvoiceLineDraft[]> {
  const lines = await app.db
    .selectFrom('invoice_lines')
    .selectAll()
    .where('invoice_id', '=', row.id)
    .orderBy('position')
    .execute();
  const taxes = await app.db
    .selectFrom('invoice_taxes')
    .selectAll()
    .where('invoice_id', '=', row.id)
    .orderBy('position')
    .execute();
  const weights = lines.map(({ amount_cents }) => amount_cents);
  const shares = taxes.map((tax) => shareCents(tax.amount_cents, weights));
  const province: string = JSON.parse(row.buyer ?? '{}').province ?? '';
  return lines.map((line, index) => {
    const month = { year: line.usage_year, month: line.usage_month };
    return {
      description: describeLine(
        {
          kind: line.kind,
          usage: line.usage_kind,
          month,
          quantity: BigInt(line.quantity),
          cutCents: line.cut_cents,
        },
        language,
      ),
      amountCents: line.amount_cents,
      period: { start: monthStart(month), end: monthEnd(month) },
      taxes: taxes.map((tax, position) => ({
        name: tax.name,
        rateMilli: tax.rate_milli,
        province,
        amountCents: shares[position]?.[index] ?? 0,
      })),
    };
  });
}

/** @throws Error, which holds the invoice and is shown to the operator */
function requireSameTotals(row: InvoiceRow, seen: ProviderInvoice, lineCount: number): void {
  const isSame =
    seen.subtotalCents === row.subtotal_cents &&
    seen.totalCents === row.total_cents &&
    seen.taxCents === row.total_cents - row.subtotal_cents &&
    (seen.lineCount === null || seen.lineCount === lineCount);
  if (isSame) return;
  throw new Error(
    `the provider has ${seen.totalCents} cents in ${seen.lineCount ?? 'many'} lines for the invoice ${row.id} of ${row.total_cents} cents in ${lineCount}`,
  );
}

/** The language of the people who manage the organization, as far as known. */
export async function languageOf({ db }: App, organizationId: string): Promise<Language> {
  const administrators = await findAdministrators(db, organizationId);
  return administrators.find(({ language }) => language !== null)?.language ?? 'en-CA';
}

/** Issues every draft, including held ones that may continue. Returns how many were issued. */
export async function issueInvoices(context: RequestContext, stopping?: AbortSignal): Promise<number> {
  const { app } = context;
  return workThrough(app, {
    job: 'issue-invoices',
    list: (after, limit) => listInvoiceIds(app, { statuses: ['draft'] }, after, limit),
    nameOf: ({ id }) => id,
    atOnce: PROVIDER_CALLS_AT_ONCE,
    work: async ({ id }) => (await issueInvoice(context, id)).status !== 'draft',
    stopping,
  });
}
