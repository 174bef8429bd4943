import type { z } from 'zod';
import type { Trx } from '#db/client.ts';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { openStuckWork } from '../../stuck-work/open-stuck-work.ts';
import { type InvoiceRow, lockInvoice } from '../invoices/follow-invoice.ts';
import { findInvoiceForOperator } from '../invoices/invoice-for-operator.ts';
import { listReversals } from '../payments/follow-reversals.ts';
import { REJECTED_REFUNDS_JOB } from '../payments/report-rejected-refunds.ts';
import { refundStateOf } from '../payments/reversal-rules.ts';
import type { invoiceForOperatorInput } from '../schema-for-operator.ts';

/**
 * Records that what the bank rejected of the refunds of an invoice was given back by other means. Repeating it has no
 * further effect.
 * @throws operator_required, billing_off, invoice_not_found, refund_not_rejected
 */
export async function recordRepayment(
  context: RequestContext,
  { invoice_id }: z.input<typeof invoiceForOperatorInput>,
): Promise<InvoiceRow> {
  requireOperator(context, 'manage');
  const { app } = context;
  const found = await findInvoiceForOperator(app, invoice_id);
  const settled = await inUnitOfWork(context, async ({ trx, now, audit }) => {
    const row = await lockInvoice(trx, found.id);
    const { rejected, repaid } = await listFailedRefunds(trx, row);
    if (rejected.length === 0 && repaid.length === 0) throw new AppError('refund_not_rejected');
    if (rejected.length === 0) return repaid;
    const ids = rejected.map(({ provider_id }) => provider_id);
    await trx
      .updateTable('payment_reversals')
      .set({ repaid_at: now, updated_at: now })
      .where('mode', '=', row.mode)
      .where('provider_id', 'in', ids)
      .execute();
    await audit({
      action: 'invoice.repaid',
      resource_type: 'invoice',
      resource_id: row.id,
      organization_id: row.organization_id,
      after: { amount_cents: rejected.reduce((sum, { amount_cents }) => sum + amount_cents, 0) },
    });
    return [...rejected, ...repaid];
  });
  const stuck = await openStuckWork(app, REJECTED_REFUNDS_JOB);
  for (const { provider_id } of settled) await stuck.succeed(provider_id);
  return findInvoiceForOperator(app, found.id);
}

async function listFailedRefunds(trx: Trx, { id }: InvoiceRow) {
  const reversals = await listReversals(trx, [id]);
  return {
    rejected: reversals.filter((each) => refundStateOf(each) === 'rejected'),
    repaid: reversals.filter((each) => refundStateOf(each) === 'repaid'),
  };
}
