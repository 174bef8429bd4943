import type { App } from '#server/context.ts';
import type { InvoiceRow } from './follow-invoice.ts';

/** Invoices to work on: in these statuses, and whose next attempt is due by an instant where one is given. */
export interface InvoiceChoice {
  statuses: readonly InvoiceRow['status'][];
  dueBy?: number;
}

/** Returns the ids of invoices of this kind of money after one, in their order. */
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
