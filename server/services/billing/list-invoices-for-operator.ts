import type { z } from 'zod';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { toInstant } from '../shared/schema.ts';
import { formatMonth, parseMonth } from './month-rules.ts';
import { requirePayments } from './require-payments.ts';
import type { listInvoicesForOperatorInput } from './schema-for-operator.ts';

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
  return rows.map((row) => ({
    id: row.id,
    number: row.number,
    organization_id: row.organization_id,
    month: formatMonth({ year: row.billing_year, month: row.billing_month }),
    status: row.status,
    total_cents: row.total_cents,
    hold_reason: row.hold_reason,
    payment_problem: row.dunning_reason,
    next_attempt_at: toInstant(row.next_attempt_at),
  }));
}
