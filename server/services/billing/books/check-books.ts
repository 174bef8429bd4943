import type { Executor } from '#db/client.ts';
import type { BillingMode } from '#db/schema/billing-mode.ts';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { listCreditNotes } from '../credits/list-credit-notes.ts';
import { formatMonth } from '../months/month-rules.ts';
import { parseQuantities, readSnapshot } from '../months/snapshot.ts';
import { listReversals } from '../payments/list-reversals.ts';
import { requirePayments } from '../require-payments.ts';
import {
  type BookedInvoice,
  type BookedMonth,
  type BookTotals,
  checkInvoice,
  checkMonths,
  monthNameOf,
  totalsOf,
} from './add-up-books.ts';

/** Something that does not add up. */
export interface BookDifference {
  organization_id: string;
  month: string;
  /** Null where a month is concerned and no invoice. */
  invoice_id: string | null;
  difference: string;
}

export interface CheckedBooks extends BookTotals {
  organizations: number;
  invoices: number;
  differences: BookDifference[];
}

const READ_TOGETHER = 50;

/**
 * Calculates every invoice again from what its month was billed from, and adds up lines, taxes, credits, payments and refunds. Changes
 * nothing, and asks the payment provider nothing: the reconciliation compares with it.
 * @throws operator_required, billing_off
 */
export async function checkBooks(context: RequestContext): Promise<CheckedBooks> {
  requireOperator(context, 'read');
  const { app } = context;
  const { mode } = requirePayments(app);
  const checked: CheckedBooks = { organizations: 0, invoices: 0, differences: [], ...totalsOf([]) };
  for (let after = ''; ; ) {
    const found = await app.db
      .selectFrom('billing_months')
      .select('organization_id')
      .distinct()
      .where('mode', '=', mode)
      .where('organization_id', '>', after)
      .orderBy('organization_id')
      .limit(READ_TOGETHER)
      .execute();
    const ids = found.map(({ organization_id }) => organization_id);
    const last = ids.at(-1);
    if (last === undefined) return checked;
    const months = await readMonths(app.db, mode, ids);
    const invoices = await readInvoices(app.db, mode, ids);
    for (const id of ids) addOrganization(checked, id, months.get(id) ?? [], invoices.get(id) ?? []);
    after = last;
  }
}

function addOrganization(
  checked: CheckedBooks,
  organization_id: string,
  months: readonly BookedMonth[],
  invoices: readonly BookedInvoice[],
): void {
  checked.organizations += 1;
  checked.invoices += invoices.length;
  const totals = totalsOf(invoices);
  checked.invoiced_cents += totals.invoiced_cents;
  checked.credited_cents += totals.credited_cents;
  checked.paid_cents += totals.paid_cents;
  checked.refunded_cents += totals.refunded_cents;
  checked.open_cents += totals.open_cents;
  checked.balance_cents += totals.balance_cents;
  const ofMonths = checkMonths(months, invoices).map(({ month, difference }) => ({
    ...{ organization_id, month: formatMonth(month), invoice_id: null, difference },
  }));
  const ofInvoices = invoices.flatMap((invoice) => {
    const { id } = invoice.row;
    const snapshot = months.find(({ invoiceId }) => invoiceId === id)?.snapshot ?? null;
    return checkInvoice(invoice, snapshot).map((difference) => ({
      ...{ organization_id, month: monthNameOf(invoice), invoice_id: id, difference },
    }));
  });
  checked.differences.push(...ofMonths, ...ofInvoices);
}

async function readMonths(
  executor: Executor,
  mode: BillingMode,
  organizationIds: readonly string[],
): Promise<Map<string, BookedMonth[]>> {
  const rows = await executor
    .selectFrom('billing_months')
    .selectAll()
    .where('mode', '=', mode)
    .where('organization_id', 'in', organizationIds)
    .orderBy('year')
    .orderBy('month')
    .execute();
  const months = new Map<string, BookedMonth[]>();
  for (const { organization_id, year, month, invoice_id, snapshot, billed } of rows) {
    const own = months.get(organization_id) ?? [];
    months.set(organization_id, own);
    own.push({
      ...{ year, month, invoiceId: invoice_id },
      snapshot: readSnapshot(snapshot),
      billed: parseQuantities(billed),
    });
  }
  return months;
}

async function readInvoices(
  executor: Executor,
  mode: BillingMode,
  organizationIds: readonly string[],
): Promise<Map<string, BookedInvoice[]>> {
  const rows = await executor
    .selectFrom('invoices')
    .selectAll()
    .where('mode', '=', mode)
    .where('organization_id', 'in', organizationIds)
    .orderBy('id')
    .execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const ofInvoice = <Row extends { invoice_id: string }>(found: readonly Row[]) =>
    Map.groupBy(found, ({ invoice_id }) => invoice_id);
  const readLines = executor.selectFrom('invoice_lines').selectAll().where('invoice_id', 'in', ids);
  const lines = ofInvoice(await readLines.orderBy('position').execute());
  const readTaxes = executor.selectFrom('invoice_taxes').selectAll().where('invoice_id', 'in', ids);
  const taxes = ofInvoice(await readTaxes.orderBy('position').execute());
  const credits = ofInvoice(await listCreditNotes(executor, ids));
  const reversals = ofInvoice(await listReversals(executor, ids));
  const invoices = rows.map(
    (row): BookedInvoice => ({
      row,
      lines: lines.get(row.id) ?? [],
      taxes: taxes.get(row.id) ?? [],
      credits: credits.get(row.id) ?? [],
      reversals: reversals.get(row.id) ?? [],
    }),
  );
  return Map.groupBy(invoices, ({ row }) => row.organization_id);
}
