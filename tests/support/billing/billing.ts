import type { App, OrganizationContext } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import type { PaymentProvider } from '#server/payments/payment-provider.ts';
import type { Sandbox } from '#server/payments/sandbox/sandbox.ts';
import { SANDBOX_KEYS } from '#server/payments/sandbox/sandbox-keys.ts';
import { addPaymentMethod } from '#server/services/billing/customers/add-payment-method.ts';
import { createCustomer } from '#server/services/billing/customers/create-customer.ts';
import { createSetupIntent } from '#server/services/billing/customers/create-setup-intent.ts';
import { issueInvoice } from '#server/services/billing/invoices/issue-invoice.ts';
import type { BillingTerms } from '#server/services/billing/months/billing-terms.ts';
import { closeMonth } from '#server/services/billing/months/close-month.ts';
import { monthEnd, monthStart } from '#server/services/billing/months/month-rules.ts';
import type { CreateCustomerInput, Customer } from '#server/services/billing/schema.ts';

/** Terms of an installation that has billed ever since, and nothing for storage. */
export const BILLED_EVER: BillingTerms = { since: 0, storagePrices: [] };

/** Settings of an installation that bills in the sandbox. */
export const SANDBOX_BILLING = { BILLING_MODE: 'sandbox' };

/** Returns the provider of an installation in the sandbox, and the sandbox below it. */
export async function openSandbox(app: App): Promise<{ provider: PaymentProvider; sandbox: Sandbox }> {
  const opened = await app.payments?.open();
  if (!opened?.sandbox) throw new Error('the installation bills in the sandbox');
  return { provider: opened.provider, sandbox: opened.sandbox };
}

/** What a person types into the setup form. */
export const BILLING_CONTACT: CreateCustomerInput = {
  email: 'ada@example.ca',
  name: 'Ada Lovelace',
  company_name: 'Analytical Engines',
  address_line1: '1 rue Sainte-Catherine',
  city: 'Montréal',
  province: 'QC',
  postal_code: 'H2X 1K4',
  country: 'CA',
};

export const TEST_CARDS = {
  works: '4242424242424242',
  declines: '4000000000000002',
  declinesLater: '4000000000000341',
  authenticates: '4000002760003184',
  disputes: '4000000000000259',
  delaysRefunds: '4000000000007726',
  rejectsRefunds: '4000000000005126',
};

/** Calls the sandbox as the operator does in the provider's own console. */
export async function askSandbox(
  app: App,
  path: string,
  form: Record<string, string>,
  method: 'POST' | 'DELETE' = 'POST',
): Promise<unknown> {
  const { sandbox } = await openSandbox(app);
  const response = await sandbox.fetch(`https://api.stripe.com${path}`, {
    method,
    headers: { authorization: `Bearer ${SANDBOX_KEYS.secretKey}` },
    ...(method === 'POST' && { body: new URLSearchParams(form).toString() }),
  });
  if (!response.ok) throw new Error(`the sandbox refused ${path}: ${await response.text()}`);
  return response.json();
}

/** Enters a card like the browser, and returns the id of its setup. */
export async function enterCard(context: OrganizationContext, number = TEST_CARDS.works): Promise<string> {
  const { sandbox } = await openSandbox(context.app);
  const { client_secret } = await createSetupIntent(context);
  const [id = ''] = client_secret.split('_secret_');
  const confirm = (form: Record<string, string>) =>
    sandbox.fetch(`https://api.stripe.com/v1/setup_intents/${id}/confirm`, {
      method: 'POST',
      headers: { authorization: `Bearer ${SANDBOX_KEYS.publishableKey}` },
      body: new URLSearchParams({ client_secret, ...form }).toString(),
    });
  await confirm({ 'payment_method_data[card][number]': number });
  if (number === TEST_CARDS.authenticates) await confirm({ sandbox_authentication: 'complete' });
  return id;
}

/** Sets up billing with a card, like a new customer. */
export async function setUpBilling(
  context: OrganizationContext,
  words: { contact?: Partial<CreateCustomerInput>; card?: string } = {},
): Promise<Customer> {
  await createCustomer(context, { ...BILLING_CONTACT, ...words.contact });
  return addPaymentMethod(context, { setup_intent_id: await enterCard(context, words.card) });
}

/** Creates an open invoice for February and one site, like the month-end job, and returns its id. */
export async function insertOpenInvoice(context: OrganizationContext): Promise<string> {
  const { app } = context;
  const organizationId = context.organization.id;
  const february = { year: 2026, month: 2 };
  await app.db
    .insertInto('resource_lifetimes')
    .values({
      resource_id: newId(),
      resource_type: 'site',
      organization_id: organizationId,
      name: 'old',
      started_at: monthStart(february),
      ended_at: monthEnd(february),
    })
    .execute();
  const { invoiceId } = await closeMonth(app, { organizationId, mode: 'sandbox' }, february, BILLED_EVER);
  if (invoiceId === null) throw new Error('a site is billed');
  const job = { ...context, actor: { kind: 'job' as const, name: 'issue-invoices' } };
  const { status } = await issueInvoice(job, invoiceId);
  if (status !== 'open') throw new Error(`the invoice is ${status}`);
  return invoiceId;
}
