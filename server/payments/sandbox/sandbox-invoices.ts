import type Stripe from 'stripe';
import { textOf } from './form.ts';
import { addLines, newInvoice, setDue } from './new-invoice.ts';
import { attachPaymentTo, createPayment, payInvoice } from './pay-invoice.ts';
import { CHARGE_MIN_CENTS } from './sandbox-amounts.ts';
import { listResponse, pageSizeOf, type SandboxRequest, type SandboxRoute } from './sandbox-route.ts';
import type { SandboxStore } from './sandbox-store.ts';
import { invalid } from './wire-error.ts';

const LINES_MAX = 250;

/** Lines included with an invoice; the provider includes no more either. */
const LINES_SHOWN = 10;

/** Returns an invoice in its wire format. */
function toWire(invoice: Stripe.Invoice): Stripe.Invoice {
  const { data } = invoice.lines;
  const lines = { ...invoice.lines, data: data.slice(0, LINES_SHOWN), has_more: data.length > LINES_SHOWN };
  return { ...invoice, lines };
}

/** Returns a route that responds with an invoice. */
function answering(run: (request: SandboxRequest) => Promise<Stripe.Invoice>): SandboxRoute['run'] {
  return async (request) => toWire(await run(request));
}

export const invoiceRoutes: SandboxRoute[] = [
  {
    method: 'POST',
    path: '/v1/invoices',
    accepts: [
      'customer',
      'currency',
      'auto_advance',
      'collection_method',
      'pending_invoice_items_behavior',
      'payment_settings',
      'description',
      'footer',
      'metadata',
    ],
    run: answering(createInvoice),
  },
  {
    method: 'GET',
    path: '/v1/invoices',
    accepts: ['customer', 'limit'],
    run: async ({ store, form, path }) =>
      listResponse(
        path,
        (await store.list('invoice', textOf(form, 'customer') ?? '', pageSizeOf(form))).map(toWire),
      ),
  },
  {
    method: 'GET',
    path: '/v1/invoices/:id',
    accepts: [],
    run: answering(({ store, ids }) => store.get('invoice', ids[0])),
  },
  { method: 'DELETE', path: '/v1/invoices/:id', accepts: [], run: deleteInvoice },
  { method: 'POST', path: '/v1/invoices/:id/add_lines', accepts: ['lines'], run: answering(addInvoiceLines) },
  {
    method: 'POST',
    path: '/v1/invoices/:id/finalize',
    accepts: ['auto_advance'],
    run: answering(finalizeInvoice),
  },
  {
    method: 'POST',
    path: '/v1/invoices/:id/pay',
    accepts: ['off_session', 'payment_method', 'paid_out_of_band', 'sandbox_authentication'],
    run: answering(payInvoice),
  },
  {
    method: 'POST',
    path: '/v1/payment_intents',
    accepts: ['amount', 'currency', 'customer', 'payment_method', 'confirm', 'off_session'],
    run: createPayment,
  },
  {
    method: 'POST',
    path: '/v1/invoices/:id/attach_payment',
    accepts: ['payment_intent'],
    run: answering(attachPaymentTo),
  },
  { method: 'POST', path: '/v1/invoices/:id/void', accepts: [], run: answering(voidInvoice) },
];

async function createInvoice({ store, form }: SandboxRequest): Promise<Stripe.Invoice> {
  const customer = await store.get('customer', textOf(form, 'customer') ?? '');
  if ((textOf(form, 'currency') ?? 'cad') !== 'cad') {
    throw invalid('The sandbox knows Canadian dollars only.', 'invalid_currency', 'currency');
  }
  const invoice = newInvoice(store, customer, form);
  await store.insert('invoice', invoice, customer.id);
  await store.emit('invoice.created', invoice);
  return invoice;
}

/** Returns an invoice that can still change. */
async function getDraft(store: SandboxStore, id: string): Promise<Stripe.Invoice> {
  const invoice = await store.get('invoice', id);
  if (invoice.status !== 'draft') {
    throw invalid('Finalized invoices cannot be edited.', 'invoice_not_editable');
  }
  return invoice;
}

async function addInvoiceLines({ store, ids, form }: SandboxRequest): Promise<Stripe.Invoice> {
  const invoice = await getDraft(store, ids[0]);
  addLines(invoice, form);
  if (invoice.lines.data.length > LINES_MAX)
    throw invalid('Too many lines.', 'parameter_invalid_integer', 'lines');
  await store.save<'invoice'>(invoice);
  return invoice;
}

async function deleteInvoice({ store, ids }: SandboxRequest): Promise<Stripe.DeletedInvoice> {
  const { id } = await getDraft(store, ids[0]);
  await store.remove(id);
  return { id, object: 'invoice', deleted: true };
}

/**
 * Finalizes a draft. The carried-over amount is added; what is too small to charge, or a credit, is carried
 * over: the invoice then counts as paid, and nothing is due with it.
 */
async function finalizeInvoice({ store, ids, publicUrl }: SandboxRequest): Promise<Stripe.Invoice> {
  const invoice = await getDraft(store, ids[0]);
  const customer = await store.get('customer', String(invoice.customer));
  const serial = (customer.next_invoice_sequence ?? 1).toString().padStart(4, '0');
  customer.next_invoice_sequence = (customer.next_invoice_sequence ?? 1) + 1;
  customer.invoice_prefix ??= customer.id.slice(-8).toUpperCase();
  invoice.number = `${customer.invoice_prefix}-${serial}`;
  invoice.starting_balance = customer.balance;
  const due = invoice.total + customer.balance;
  const isCharged = due >= CHARGE_MIN_CENTS;
  setDue(invoice, isCharged ? due : 0);
  invoice.status = 'open';
  invoice.status_transitions.finalized_at = store.seconds;
  invoice.effective_at = store.seconds;
  invoice.hosted_invoice_url = `${publicUrl}/_sandbox/invoices/${invoice.id}`;
  invoice.invoice_pdf = null;
  customer.balance = isCharged ? 0 : due;
  invoice.ending_balance = customer.balance;
  await store.emit('invoice.finalized', invoice);
  if (!isCharged) {
    invoice.status = 'paid';
    invoice.attempted = true;
    invoice.status_transitions.paid_at = store.seconds;
    await store.emit('invoice.paid', invoice);
  }
  await store.save<'customer'>(customer);
  await store.save<'invoice'>(invoice);
  return invoice;
}

/** Voids an invoice: what was carried over to it returns to the customer's balance. */
async function voidInvoice({ store, ids }: SandboxRequest): Promise<Stripe.Invoice> {
  const invoice = await store.get('invoice', ids[0]);
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible') {
    throw invalid('You can only void an open invoice.', 'status_transition_invalid');
  }
  invoice.status = 'void';
  invoice.status_transitions.voided_at = store.seconds;
  const customer = await store.get('customer', String(invoice.customer));
  customer.balance += invoice.starting_balance;
  await store.save<'customer'>(customer);
  await store.save<'invoice'>(invoice);
  await store.emit('invoice.voided', invoice);
  return invoice;
}
