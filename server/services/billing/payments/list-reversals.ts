import type { Selectable } from 'kysely';
import type { Executor } from '#db/client.ts';
import type { PaymentReversalsTable } from '#db/schema/payment-reversals.ts';

export type ReversalRow = Selectable<PaymentReversalsTable> & {
  /** Of the credit note that made this refund; null for one made at the provider, and for a dispute. */
  credit_note_id: string | null;
};

/** Returns the refunds and disputes of invoices, oldest first. */
export async function listReversals(
  executor: Executor,
  invoiceIds: readonly string[],
): Promise<ReversalRow[]> {
  if (invoiceIds.length === 0) return [];
  return executor
    .selectFrom('payment_reversals')
    .leftJoin('credit_note_refunds', (join) =>
      join
        .onRef('credit_note_refunds.mode', '=', 'payment_reversals.mode')
        .onRef('credit_note_refunds.provider_id', '=', 'payment_reversals.provider_id'),
    )
    .selectAll('payment_reversals')
    .select('credit_note_refunds.credit_note_id')
    .where('payment_reversals.invoice_id', 'in', invoiceIds)
    .orderBy('payment_reversals.created_at')
    .orderBy('payment_reversals.provider_id')
    .execute();
}
