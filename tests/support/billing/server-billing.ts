import { join } from 'node:path';
import { openDatabase } from '#db/client.ts';
import { inTransaction } from '#db/transaction.ts';
import { loadConfig } from '#server/config/config.ts';
import type { App } from '#server/context.ts';
import { createApp } from '#server/create-app.ts';
import { DAY_MS } from '#server/durations.ts';
import { createLogger } from '#server/logging/logger.ts';
import { addPaymentMethod } from '#server/services/billing/customers/add-payment-method.ts';
import { createCustomer } from '#server/services/billing/customers/create-customer.ts';
import { createInvoiceLink } from '#server/services/billing/invoices/invoice-links.ts';
import { issueInvoice, issueInvoices } from '#server/services/billing/invoices/issue-invoice.ts';
import { findBillingTerms } from '#server/services/billing/months/billing-terms.ts';
import { closeMonth } from '#server/services/billing/months/close-month.ts';
import {
  addMonths,
  type BillingMonth,
  monthOf,
  monthStart,
} from '#server/services/billing/months/month-rules.ts';
import { collectPayments } from '#server/services/billing/payments/collect-payment.ts';
import { resolveOrganization } from '#server/services/organizations/resolve-organization.ts';
import { formatDay } from '#server/services/usage/rules.ts';
import type { RunningServer } from '../server/test-server.ts';
import type { PastEndpoint } from '../usage/server-usage.ts';
import { BILLED_EVER, BILLING_CONTACT, enterCard, TEST_CARDS } from './billing.ts';
import { jobContext } from './billing-month.ts';

/**
 * Works on a running server's database with its own settings, alongside it, like the operator's command line.
 */
async function inServerApp<R>(server: RunningServer, work: (app: App) => Promise<R>): Promise<R> {
  const url = `sqlite:${join(server.dataDir, 'portage.sqlite')}`;
  const config = loadConfig({
    ...server.environment,
    DATABASE_URL: url,
    PUBLIC_URL: server.consoleUrl,
    LOG_LEVEL: 'silent',
  });
  const db = openDatabase(url);
  try {
    return await work(await createApp(config, db, createLogger('silent')));
  } finally {
    await db.destroy();
  }
}

/**
 * Sets up billing for an organization of a running server, with cards in the order given: the first is the
 * default.
 */
export async function setUpServerBilling(
  server: RunningServer,
  organizationId: string,
  cards: readonly string[] = [TEST_CARDS.works],
  contact: Partial<typeof BILLING_CONTACT> = {},
): Promise<void> {
  await inServerApp(server, async (app) => {
    const context = await resolveOrganization(jobContext(app), organizationId);
    await createCustomer(context, { ...BILLING_CONTACT, ...contact });
    for (const card of cards) {
      await addPaymentMethod(context, { setup_intent_id: await enterCard(context, card) });
    }
  });
}

/** Makes a link to an invoice, like the operator. */
export async function linkToInvoice(server: RunningServer, invoiceId: string): Promise<string> {
  return inServerApp(server, async (app) => {
    const row = await app.db
      .selectFrom('invoices')
      .select(['id', 'organization_id'])
      .where('id', '=', invoiceId)
      .executeTakeFirstOrThrow();
    const { link } = await inTransaction(app.db, (trx) => createInvoiceLink(trx, app, row));
    return link;
  });
}

/** Returns the month before this one. */
export const lastMonth = (): BillingMonth => addMonths(monthOf(Date.now()), -1);

/**
 * Bills a past month like the month-end job: what has been counted in it by then. Returns the invoice, or
 * null for none.
 */
export async function billMonth(
  server: RunningServer,
  organizationId: string,
  month: BillingMonth = lastMonth(),
): Promise<string | null> {
  return inServerApp(server, async (app) => {
    const { storagePrices } = await findBillingTerms(app.db, 'sandbox');
    const terms = { ...BILLED_EVER, storagePrices };
    const { invoiceId } = await closeMonth(app, { organizationId, mode: 'sandbox' }, month, terms);
    if (invoiceId !== null) await issueInvoice(jobContext(app), invoiceId);
    return invoiceId;
  });
}

/** Issues every draft, also of months that the running server has closed, and charges what is due. */
export async function chargeInvoices(server: RunningServer): Promise<void> {
  await inServerApp(server, async (app) => {
    await issueInvoices(jobContext(app));
    await collectPayments(jobContext(app));
  });
}

/**
 * An endpoint's traffic on the tenth and the eleventh of a month: 1.5 GB and two and a half million requests.
 */
export function servedIn(month: BillingMonth, hostname: string): PastEndpoint {
  const day = (date: number) => formatDay(monthStart(month) + (date - 1) * DAY_MS);
  return {
    hostname,
    days: {
      [day(10)]: { requests: 2_000_000, bytes: 2 ** 30 },
      [day(11)]: { requests: 500_000, bytes: 2 ** 29 },
    },
  };
}
