import type { Trx } from '#db/client.ts';
import { DAY_MS } from '#server/durations.ts';
import type { Account } from '../queries.ts';

/**
 * Cards that are tried for an invoice within a day because another became the default. More could be a way to test stolen cards, for
 * which banks hold the operator responsible. After that, the invoice is charged on its usual days.
 */
const RETRIES_A_DAY = 5;

/** Makes every open invoice due for an attempt: there is another card to charge. */
export async function retryOpenInvoices(trx: Trx, account: Account, now: number): Promise<void> {
  await trx
    .updateTable('invoices')
    .set({ next_attempt_at: now })
    .where('organization_id', '=', account.organizationId)
    .where('mode', '=', account.mode)
    .where('status', 'in', ['open', 'uncollectible'])
    .where(
      ({ selectFrom }) =>
        selectFrom('payment_attempts')
          .select(({ fn }) => fn.countAll<number>().as('attempts'))
          .whereRef('payment_attempts.invoice_id', '=', 'invoices.id')
          .where('payment_attempts.started_at', '>', now - DAY_MS)
          // Attempts recorded by a clock that was ahead do not count.
          .where('payment_attempts.started_at', '<=', now)
          .where('payment_attempts.payment_method_id', 'is not', null),
      '<',
      RETRIES_A_DAY,
    )
    .execute();
}
