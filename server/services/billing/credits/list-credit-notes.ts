import type { Selectable } from 'kysely';
import type { Executor } from '#db/client.ts';
import type { CreditNotesTable } from '#db/schema/credit-notes.ts';

export type CreditNoteRow = Selectable<CreditNotesTable>;

/** Returns the credit notes of invoices, oldest first. */
export async function listCreditNotes(
  executor: Executor,
  invoiceIds: readonly string[],
): Promise<CreditNoteRow[]> {
  if (invoiceIds.length === 0) return [];
  return executor
    .selectFrom('credit_notes')
    .selectAll()
    .where('invoice_id', 'in', invoiceIds)
    .orderBy('id')
    .execute();
}
