import type { z } from 'zod';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { openStuckWork } from '../../stuck-work/open-stuck-work.ts';
import { type InvoiceRow, lockInvoice } from '../invoices/follow-invoice.ts';
import { findInvoiceForOperator } from '../invoices/invoice-for-operator.ts';
import { listReversals, type ReversalRow } from '../payments/list-reversals.ts';
import { REJECTED_REFUNDS_JOB } from '../payments/report-rejected-refunds.ts';
import { refundStateOf, repeatedOf } from '../payments/reversal-rules.ts';
import type { invoiceForOperatorInput } from '../schema-for-operator.ts';

/**
 * Records that what the bank rejected of the refunds of an invoice was given back: by refunds that were made at the provider since,
 * which count themselves, and the rest by other means. Repeating it has no further effect. Returns the invoice, with what was given
 * back by other means in total.
 * @throws operator_required, billing_off, invoice_not_found, refund_not_rejected
 */
export async function recordRepayment(
  context: RequestContext,
  { invoice_id }: z.input<typeof invoiceForOperatorInput>,
): Promise<InvoiceRow & { repaid_cents: number }> {
  requireOperator(context, 'manage');
  const { app } = context;
  const found = await findInvoiceForOperator(app, invoice_id);
  const settled = await inUnitOfWork(context, async ({ trx, now, audit }) => {
    const row = await lockInvoice(trx, found.id);
    const reversals = await listReversals(trx, [row.id]);
    const rejected = reversals.filter((each) => refundStateOf(each) === 'rejected');
    const repaid = reversals.filter((each) => refundStateOf(each) === 'repaid');
    if (rejected.length === 0 && repaid.length === 0) throw new AppError('refund_not_rejected');
    if (rejected.length === 0) return repaid;
    const repeated = repeatedOf(reversals, row.amount_paid_cents);
    const settled = rejected.map((each) => ({
      ...each,
      repeated_cents: repeated.get(each.provider_id) ?? 0,
    }));
    for (const { provider_id, repeated_cents } of settled) {
      await trx
        .updateTable('payment_reversals')
        .set({ repaid_at: now, repeated_cents, updated_at: now })
        .where('mode', '=', row.mode)
        .where('provider_id', '=', provider_id)
        .execute();
    }
    await audit({
      action: 'invoice.repaid',
      resource_type: 'invoice',
      resource_id: row.id,
      organization_id: row.organization_id,
      after: { amount_cents: elsewhereOf(settled) },
    });
    return [...settled, ...repaid];
  });
  const stuck = await openStuckWork(app, REJECTED_REFUNDS_JOB);
  for (const { provider_id } of settled) await stuck.succeed(provider_id);
  return { ...(await findInvoiceForOperator(app, found.id)), repaid_cents: elsewhereOf(settled) };
}

/** Returns the cents that were given back by other means than refunds. */
function elsewhereOf(repaid: readonly ReversalRow[]): number {
  return repaid.reduce((sum, { amount_cents, repeated_cents }) => sum + amount_cents - repeated_cents, 0);
}
