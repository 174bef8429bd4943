import type { Trx } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { findAdministrators } from '../../organizations/members/find-administrators.ts';
import { PAYMENT_PROBLEMS } from '../payments/dunning-rules.ts';
import { queueInvoiceMail, queuePaymentProblem } from './queue-invoice-mail.ts';

/** Notes in which language the last invoices of an organization are written, while it still has people. */
export async function noteLastLanguage(trx: Trx, organizationId: string): Promise<void> {
  const administrators = await findAdministrators(trx, organizationId);
  const last_language = administrators.find(({ language }) => language !== null)?.language ?? null;
  await trx
    .updateTable('billing_contacts')
    .set({ last_language })
    .where('organization_id', '=', organizationId)
    .execute();
}

/** More than the months of a year that could be unpaid. */
const INVOICES_MAX = 24;

/**
 * Tells the billing contact of an organization that has just been deleted about its unpaid invoices again, with links that work
 * without it. Later invoices have such links by themselves.
 */
export async function queueLastMails(trx: Trx, app: App, organizationId: string): Promise<void> {
  if (!app.payments || !app.config.mail) return;
  const unpaid = await trx
    .selectFrom('invoices')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('mode', '=', app.payments.mode)
    .where('status', 'in', ['open', 'uncollectible'])
    .orderBy('id', 'desc')
    .limit(INVOICES_MAX)
    .execute();
  for (const row of unpaid) {
    const problem = PAYMENT_PROBLEMS.find((each) => each === row.dunning_reason);
    if (problem) await queuePaymentProblem(trx, app, row, problem);
    else await queueInvoiceMail(trx, app, row);
  }
}
