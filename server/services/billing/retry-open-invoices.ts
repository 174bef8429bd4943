import type { Trx } from '#db/client.ts';
import type { Account } from './queries.ts';

/** Makes every open invoice due for an attempt: there is another card to charge. */
export async function retryOpenInvoices(trx: Trx, account: Account, now: number): Promise<void> {
  await trx
    .updateTable('invoices')
    .set({ next_attempt_at: now })
    .where('organization_id', '=', account.organizationId)
    .where('mode', '=', account.mode)
    .where('status', 'in', ['open', 'uncollectible'])
    .execute();
}
