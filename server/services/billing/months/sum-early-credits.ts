import type { Executor } from '#db/client.ts';

/**
 * Returns by invoice, in cents, what was credited before it was paid, as far as the provider knows: that lowered what is due. What is
 * credited later is kept for the next invoice. Invoices without any have no entry.
 */
export async function sumEarlyCredits(
  executor: Executor,
  invoiceIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await executor
    .selectFrom('credit_notes')
    .innerJoin('invoices', 'invoices.id', 'credit_notes.invoice_id')
    .select(({ fn }) => ['credit_notes.invoice_id', fn.sum('credit_notes.amount_cents').as('cents')])
    .where('credit_notes.invoice_id', 'in', invoiceIds)
    .where('credit_notes.provider_id', 'is not', null)
    .where(({ eb, or, ref }) =>
      or([
        eb('invoices.paid_at', 'is', null),
        // One for all that was left pays it, and is written first.
        eb('credit_notes.created_at', '<=', ref('invoices.paid_at')),
      ]),
    )
    .groupBy('credit_notes.invoice_id')
    .execute();
  return new Map(rows.map(({ invoice_id, cents }) => [invoice_id, Number(cents)]));
}
