import type { Selectable } from 'kysely';
import type { Executor } from '#db/client.ts';
import type { InvoiceLinesTable } from '#db/schema/invoice-lines.ts';
import type { InvoiceTaxesTable } from '#db/schema/invoice-taxes.ts';
import type { App, RequestContext } from '#server/context.ts';
import { PaymentError } from '#server/payments/payment-error.ts';
import type {
  InvoiceLineDraft,
  PaymentProvider,
  ProviderInvoice,
} from '#server/payments/payment-provider.ts';
import { isLanguage, type Language } from '../../identity/rules.ts';
import { findAdministratorsOfMany } from '../../organizations/members/find-administrators.ts';
import { workThrough } from '../../stuck-work/work-through.ts';
import { callForCustomer } from '../customers/renew-customer.ts';
import { fixBuyers } from '../months/fix-buyer.ts';
import { type BillingMonth, monthEnd, monthStart } from '../months/month-rules.ts';
import { PROVIDER_CALLS_AT_ONCE } from '../require-payments.ts';
import { applyProviderInvoice, type InvoiceRow } from './follow-invoice.ts';
import { taxLabel } from './invoice-file-words.ts';
import { invoiceKey, shareCents } from './invoice-rules.ts';
import { describeLine, describeSeller, formatMonthName } from './invoice-words.ts';
import { listInvoiceIds } from './list-invoice-ids.ts';
import { sellerSchema } from './schema.ts';

/** A draft that is made out, with everything that is sent to its provider. */
interface PreparedInvoice {
  row: InvoiceRow;
  language: Language;
  /** The id of the customer at the provider; null where the invoice is held. */
  customerId: string | null;
  lines: Selectable<InvoiceLinesTable>[];
  taxes: Selectable<InvoiceTaxesTable>[];
}

/**
 * Takes a draft to where it can be paid, from wherever an earlier attempt has left it: the buyer is fixed,
 * the provider's invoice found by its key or created, its lines added, its totals compared with ours, and
 * only then is it finalized. If they differ, it is held for the operator and never finalized.
 */
export async function issueInvoice(context: RequestContext, invoiceId: string): Promise<InvoiceRow> {
  const [prepared] = await prepareInvoices(context.app, [invoiceId]);
  if (!prepared) throw new Error(`there is no invoice ${invoiceId}`);
  return issuePrepared(context, prepared);
}

async function issuePrepared(context: RequestContext, prepared: PreparedInvoice): Promise<InvoiceRow> {
  const { app } = context;
  const { row, customerId } = prepared;
  if (row.status !== 'draft' || customerId === null || !app.payments) return row;
  const { provider } = await app.payments.open();
  const key = invoiceKey(row.organization_id, monthOfRow(row));
  let seen = await findOrCreate(app, provider, prepared, { customerId, key });
  if (seen.status === 'draft') {
    const lines = describeLines(prepared);
    if (seen.lineCount === 0 && lines.length > 0) seen = await provider.addInvoiceLines(seen.id, key, lines);
    requireSameTotals(row, seen, lines.length);
    seen = await provider.finalizeInvoice(seen.id, key);
  }
  return applyProviderInvoice(context, row.id, seen);
}

/** Makes drafts out to their buyers and reads what is said of each, with as many statements for many as for one. */
async function prepareInvoices(app: App, invoiceIds: readonly string[]): Promise<PreparedInvoice[]> {
  const rows = await fixBuyers(app, invoiceIds);
  const ready = rows.filter(({ status, hold_reason }) => status === 'draft' && hold_reason === null);
  const ids = ready.map(({ id }) => id);
  const organizationIds = ready.map(({ organization_id }) => organization_id);
  if (ids.length === 0) return rows.map(unready);
  const lines = await app.db
    .selectFrom('invoice_lines')
    .selectAll()
    .where('invoice_id', 'in', ids)
    .orderBy('position')
    .execute();
  const taxes = await app.db
    .selectFrom('invoice_taxes')
    .selectAll()
    .where('invoice_id', 'in', ids)
    .orderBy('position')
    .execute();
  const customers = await app.db
    .selectFrom('billing_customers')
    .select(['organization_id', 'mode', 'provider_id'])
    .where('organization_id', 'in', organizationIds)
    .execute();
  const languages = await findLanguages(app.db, organizationIds);
  const linesById = Map.groupBy(lines, ({ invoice_id }) => invoice_id);
  const taxesById = Map.groupBy(taxes, ({ invoice_id }) => invoice_id);
  const customerOf = (row: InvoiceRow) =>
    customers.find(
      ({ organization_id, mode }) => organization_id === row.organization_id && mode === row.mode,
    );
  return rows.map((row) => {
    if (row.status !== 'draft' || row.hold_reason !== null) return unready(row);
    return {
      row,
      language: languages.get(row.organization_id) ?? 'en-CA',
      customerId: customerOf(row)?.provider_id ?? null,
      lines: linesById.get(row.id) ?? [],
      taxes: taxesById.get(row.id) ?? [],
    };
  });
}

/** Nothing is said of what is held or issued. */
function unready(row: InvoiceRow): PreparedInvoice {
  return { row, language: 'en-CA', customerId: null, lines: [], taxes: [] };
}

const monthOfRow = (row: InvoiceRow): BillingMonth => ({ year: row.billing_year, month: row.billing_month });

async function findOrCreate(
  app: App,
  provider: PaymentProvider,
  { row, language }: PreparedInvoice,
  { customerId, key }: { customerId: string; key: string },
): Promise<ProviderInvoice> {
  if (row.provider_id !== null) {
    try {
      return await provider.getInvoice(row.provider_id);
    } catch (error) {
      // A draft that was deleted at the provider is created again.
      if (!(error instanceof PaymentError) || error.kind !== 'missing') throw error;
    }
  }
  const account = { organizationId: row.organization_id, mode: row.mode };
  const seen =
    (await provider.findInvoice(customerId, key)) ??
    (await callForCustomer(app, account, provider, customerId, (customer) =>
      provider.createInvoice({
        key,
        customerId: customer,
        replaces: row.provider_id,
        organizationId: row.organization_id,
        description: formatMonthName(monthOfRow(row), language),
        footer: describeSeller(sellerSchema.parse(JSON.parse(row.seller ?? '{}')), language),
      }),
    ));
  await app.db.updateTable('invoices').set({ provider_id: seen.id }).where('id', '=', row.id).execute();
  return seen;
}

/** The provider requires taxes by line: each is shared among the lines to the cent. */
function describeLines({ row, language, lines, taxes }: PreparedInvoice): InvoiceLineDraft[] {
  const weights = lines.map(({ amount_cents }) => amount_cents);
  const shares = taxes.map((tax) => shareCents(tax.amount_cents, weights));
  const province: string = JSON.parse(row.tax_place ?? row.buyer ?? '{}').province ?? '';
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
        label: taxLabel(tax.name, language),
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

/** Returns the language of the people who manage the organization, or managed it until it was deleted. */
export async function languageOf({ db }: App, organizationId: string): Promise<Language> {
  return (await findLanguages(db, [organizationId])).get(organizationId) ?? 'en-CA';
}

/** Returns the same of many organizations; those of which it is unknown have no entry. */
async function findLanguages(
  executor: Executor,
  organizationIds: readonly string[],
): Promise<Map<string, Language>> {
  const languages = new Map<string, Language>();
  const contacts = await executor
    .selectFrom('billing_contacts')
    .select(['organization_id', 'last_language'])
    .where('organization_id', 'in', organizationIds)
    .where('last_language', 'is not', null)
    .execute();
  for (const { organization_id, last_language } of contacts) {
    if (isLanguage(last_language)) languages.set(organization_id, last_language);
  }
  const administrators = await findAdministratorsOfMany(executor, organizationIds);
  for (const [id, people] of administrators) {
    const language = people.find((each) => each.language !== null)?.language;
    if (language) languages.set(id, language);
  }
  return languages;
}

/** Drafts that are prepared in one transaction. */
const PREPARED_TOGETHER = 50;

/** Issues every draft, also those that were held and may go on. Returns how many were issued. */
export async function issueInvoices(context: RequestContext, stopping?: AbortSignal): Promise<number> {
  const { app } = context;
  const prepared = new Map<string, PreparedInvoice>();
  const list = async (after: string, limit: number) => {
    prepared.clear();
    const invoices = await listInvoiceIds(app, { statuses: ['draft'] }, after, limit);
    for (let at = 0; at < invoices.length && !stopping?.aborted; at += PREPARED_TOGETHER) {
      const ids = invoices.slice(at, at + PREPARED_TOGETHER).map(({ id }) => id);
      // One that cannot be prepared says why when it is its turn, and holds up no other.
      const some = await prepareInvoices(app, ids).catch(() => []);
      for (const each of some) prepared.set(each.row.id, each);
    }
    return invoices;
  };
  return workThrough(app, {
    job: 'issue-invoices',
    list,
    nameOf: ({ id }) => id,
    atOnce: PROVIDER_CALLS_AT_ONCE,
    work: async ({ id }) => {
      const known = prepared.get(id);
      const row = known ? await issuePrepared(context, known) : await issueInvoice(context, id);
      return row.status !== 'draft';
    },
    stopping,
  });
}
