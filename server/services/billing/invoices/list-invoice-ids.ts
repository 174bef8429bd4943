import type { App } from '#server/context.ts';
import type { InvoiceRow } from './follow-invoice.ts';

/** Invoices to process: in these statuses and, if given, with their next attempt due by an instant. */
export interface InvoiceChoice {
  statuses: readonly InvoiceRow['status'][];
  dueBy?: number;
}

/** Returns the ids of invoices of this billing mode after a given one, in order. */
export async function listInvoiceIds(
  app: App,
  { statuses, dueBy }: InvoiceChoice,
  after: string,
  limit: number,
): Promise<{ id: string }[]> {
  if (!app.payments) return [];
  let query = app.db
    .selectFrom('invoices')
    .select('id')
    .where('mode', '=', app.payments.mode)
    .where('status', 'in', statuses)
    .where('id', '>', after);
  if (dueBy !== undefined) query = query.where('next_attempt_at', '<=', dueBy);
  return query.orderBy('id').limit(limit).execute();
}
