import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '#server/durations.ts';
import { prepareBilledSite } from '#tests/support/billing/billed-site.ts';
import { askSandbox, enterCard } from '#tests/support/billing/billing.ts';
import {
  jobContext,
  readProviderInvoices,
  runMonthEnd,
  travelTo,
  withCrashes,
} from '#tests/support/billing/billing-month.ts';
import { issueInvoices } from '../invoices/issue-invoice.ts';
import { listInvoices } from '../invoices/list-invoices.ts';
import { closeMonths } from '../months/close-months.ts';
import { addPaymentMethod } from './add-payment-method.ts';
import { createSetupIntent } from './create-setup-intent.ts';
import { getCustomer } from './get-customer.ts';
import { updateBillingContact } from './update-billing-contact.ts';

describe('a billing customer that was deleted at the provider', () => {
  /** Has a card, and its month is over. */
  async function prepareDeleted() {
    const world = await prepareBilledSite();
    const { app, context } = world;
    const { id } = await getCustomer(context);
    travelTo(app, Date.UTC(2026, 3, 2));
    return { ...world, id, remove: () => askSandbox(app, `/v1/customers/${id}`, {}, 'DELETE') };
  }

  it('is created again when a card is entered, and has only that card', async () => {
    const { context, id, remove } = await prepareDeleted();
    await remove();
    await addPaymentMethod(context, { setup_intent_id: await enterCard(context) });
    const customer = await getCustomer(context);
    expect(customer.payment_methods).toHaveLength(1);
    expect(customer.default_payment_method_id).toBe(customer.payment_methods[0]?.id);
    expect(customer.id).not.toBe(id);
  });

  it('is created again when the contact is sent, or an invoice is issued, and is billed once', async () => {
    const { app, context, id, remove } = await prepareDeleted();
    await remove();
    await closeMonths(jobContext(app));
    const crashing = await withCrashes(app, (call) => (call === 'createInvoice' ? 'after' : null));
    await issueInvoices(jobContext(crashing)).catch(() => 0);
    app.clock.advance(HOUR_MS);
    await runMonthEnd(app);
    expect(await listInvoices(context)).toMatchObject([
      { status: 'open', total_cents: 345, payment_problem: 'no_payment_method' },
    ]);
    await addPaymentMethod(context, { setup_intent_id: await enterCard(context) });
    await runMonthEnd(app);
    expect(await listInvoices(context)).toMatchObject([{ status: 'paid', total_cents: 345 }]);
    expect(await readProviderInvoices(app)).toMatchObject([{ status: 'paid', amount_paid: 345 }]);
    const customer = await getCustomer(context);
    expect(customer.id).not.toBe(id);
    await askSandbox(app, `/v1/customers/${customer.id}`, {}, 'DELETE');
    await updateBillingContact(context, { billing_name: 'Ada King' });
    expect(await getCustomer(context)).toMatchObject({
      payment_methods: [],
      default_payment_method_id: null,
    });
  });

  it('is not created again because the keys are those of another account', async () => {
    const { app, context, id } = await prepareDeleted();
    await app.db.deleteFrom('sandbox_objects').where('id', '=', id).execute();
    await updateBillingContact(context, { billing_name: 'Ada King' });
    await expect(createSetupIntent(context)).rejects.toMatchObject({ code: 'payments_unavailable' });
    expect(await getCustomer(context)).toMatchObject({ id, payment_methods: [{ last4: '4242' }] });
  });
});
