import { getInvoice } from '#server/services/billing/invoices/get-invoice.ts';
import { listInvoices } from '#server/services/billing/invoices/list-invoices.ts';
import { deliverSandboxEvents } from '#server/services/billing/payments/deliver-sandbox-events.ts';
import { handleWebhooks } from '#server/services/billing/payments/handle-webhooks.ts';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { readMails } from '#tests/support/app/read-mails.ts';
import { prepareBilledSite } from './billed-site.ts';
import { TEST_CARDS } from './billing.ts';
import { jobContext, runMonthEnd, travelTo } from './billing-month.ts';

const SECOND_OF_APRIL = Date.UTC(2026, 3, 2);
const MAIL = { MAIL_URL: 'smtp://127.0.0.1:2525', MAIL_FROM: 'no-reply@example.ca' };

/** An organization in Québec whose March was paid with a card: 3 dollars, and 45 cents of taxes. */
export async function prepareBilledMarch(card: string = TEST_CARDS.works) {
  const world = await prepareBilledSite({ card, environment: MAIL });
  const { app, context } = world;
  travelTo(app, SECOND_OF_APRIL);
  await runMonthEnd(app);
  const [{ id: invoice_id } = { id: '' }] = await listInvoices(context);
  return {
    ...world,
    operator: operatorContext(app),
    invoice_id,
    shown: () => getInvoice(context, { invoice_id }),
    /** Delivers the payment provider's events to the program. */
    async deliver() {
      await deliverSandboxEvents(jobContext(app));
      await handleWebhooks(jobContext(app));
    },
    /** Every message but those about new invoices. */
    mailsOf: async () => (await readMails(app)).filter(({ subject }) => !/^Invoice/.test(subject)),
  };
}
