import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { SANDBOX_BILLING, setUpBilling } from '#tests/support/billing/billing.ts';
import { insertSite } from '#tests/support/billing/billing-month.ts';
import { countUsage, usageRow } from '#tests/support/usage/usage-batches.ts';

const TAXES = 'GST:123456789RT0001,QST:1234567890TQ0001';

/** An organization with a card and a site, in March. */
export async function prepareBilledSite(
  words: { card?: string; isSetUp?: boolean; environment?: Record<string, string> } = {},
) {
  const environment = { ...SANDBOX_BILLING, TAX_REGISTRATIONS: TAXES, ...words.environment };
  const app = await createTestApp({ environment });
  const person = await createTestPerson(app);
  const { context } = person;
  if (words.isSetUp !== false) await setUpBilling(context, words.card ? { card: words.card } : {});
  const site = await insertSite(app, context.organization.id, app.clock.now());
  const use = (at: number, bytes_sent: number, requests = 0) =>
    countUsage(app, [usageRow(context.organization.id, { siteId: site }, { bytes_sent, requests })], at);
  return { app, person, context, site, use };
}
