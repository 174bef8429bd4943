import type { z } from 'zod';
import type { Executor } from '#db/client.ts';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { toInstant } from '../../shared/schema.ts';
import { formatMonth, parseMonth } from '../months/month-rules.ts';
import { listReversals, type ReversalRow } from '../payments/list-reversals.ts';
import { paymentStateOf } from '../payments/reversal-rules.ts';
import { requirePayments } from '../require-payments.ts';
import type { listInvoicesForOperatorInput } from '../schema-for-operator.ts';
import type { InvoiceRow } from './follow-invoice.ts';

const INVOICES_MAX = 1_000;

/**
 * Returns invoices of all organizations, newest first; at most a thousand. Open ones include those that the provider gave up, which
 * are still owed.
 * @throws operator_required, billing_off
 */
export async function listInvoicesForOperator(
  context: RequestContext,
  { status, month }: z.output<typeof listInvoicesForOperatorInput>,
) {
  requireOperator(context, 'read');
  const { app } = context;
  const { mode } = requirePayments(app);
  const wanted = month === undefined ? null : parseMonth(month);
  let query = app.db.selectFrom('invoices').selectAll().where('mode', '=', mode);
  if (status === 'open') query = query.where('status', 'in', ['open', 'uncollectible']);
  else if (status !== undefined) query = query.where('status', '=', status);
  if (wanted) query = query.where('billing_year', '=', wanted.year).where('billing_month', '=', wanted.month);
  const rows = await query.orderBy('id', 'desc').limit(INVOICES_MAX).execute();
  const reversals = await listReversalsOf(app.db, rows);
  return rows.map((row) => ({
    id: row.id,
    number: row.number,
    organization_id: row.organization_id,
    month: formatMonth({ year: row.billing_year, month: row.billing_month }),
    status: row.status,
    total_cents: row.total_cents,
    hold_reason: row.hold_reason,
    payment_state: paymentStateOf(row.amount_paid_cents, reversals.get(row.id) ?? []),
    payment_problem: row.dunning_reason,
    next_attempt_at: toInstant(row.next_attempt_at),
  }));
}

/** Ids in one statement. */
const READ_TOGETHER = 500;

async function listReversalsOf(executor: Executor, rows: readonly InvoiceRow[]) {
  const found: ReversalRow[] = [];
  for (let at = 0; at < rows.length; at += READ_TOGETHER) {
    const ids = rows.slice(at, at + READ_TOGETHER).map(({ id }) => id);
    found.push(...(await listReversals(executor, ids)));
  }
  return Map.groupBy(found, ({ invoice_id }) => invoice_id);
}
