import type Stripe from 'stripe';
import { type FormFields, fieldsOf, listOf, textOf, textsOf, wholeOf } from './form.ts';
import { newSandboxId, type SandboxStore } from './sandbox-store.ts';
import { invalid } from './wire-error.ts';

/** Returns a draft without lines for a customer. */
export function newInvoice(store: SandboxStore, customer: Stripe.Customer, form: FormFields): Stripe.Invoice {
  const id = store.newId('invoice');
  return {
    id,
    object: 'invoice',
    account_country: 'CA',
    account_name: null,
    account_tax_ids: null,
    amount_due: 0,
    amount_overpaid: 0,
    amount_paid: 0,
    amount_remaining: 0,
    amount_shipping: 0,
    application: null,
    attempt_count: 0,
    attempted: false,
    auto_advance: false,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    automatically_finalizes_at: null,
    billing_reason: 'manual',
    collection_method: 'charge_automatically',
    created: store.seconds,
    currency: 'cad',
    custom_fields: null,
    customer: customer.id,
    customer_account: null,
    customer_address: customer.address ?? null,
    customer_email: customer.email,
    customer_name: customer.name ?? null,
    customer_phone: customer.phone ?? null,
    customer_shipping: null,
    customer_tax_exempt: 'none',
    customer_tax_ids: [],
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: textOf(form, 'description') || null,
    discounts: [],
    due_date: null,
    effective_at: null,
    ending_balance: null,
    footer: textOf(form, 'footer') || null,
    from_invoice: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    issuer: { type: 'self' },
    last_finalization_error: null,
    latest_revision: null,
    lines: { object: 'list', data: [], has_more: false, url: `/v1/invoices/${id}/lines` },
    livemode: false,
    metadata: textsOf(form, 'metadata'),
    next_payment_attempt: null,
    number: null,
    on_behalf_of: null,
    parent: null,
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: ['card'] },
    period_end: store.seconds,
    period_start: store.seconds,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: 0,
    statement_descriptor: null,
    status: 'draft',
    status_transitions: {
      finalized_at: null,
      marked_uncollectible_at: null,
      paid_at: null,
      voided_at: null,
    },
    subtotal: 0,
    subtotal_excluding_tax: 0,
    test_clock: null,
    total: 0,
    total_discount_amounts: [],
    total_excluding_tax: 0,
    total_pretax_credit_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: null,
  };
}

/** Adds the lines of a form to a draft and recalculates its totals. */
export function addLines(invoice: Stripe.Invoice, form: FormFields): void {
  for (const line of listOf(form, 'lines')) {
    const amount = wholeOf(line, 'amount');
    if (amount === undefined) throw invalid('A line needs an amount.', 'parameter_missing', 'lines[amount]');
    const period = fieldsOf(line, 'period');
    invoice.lines.data.push({
      id: newSandboxId('il'),
      object: 'line_item',
      amount,
      currency: 'cad',
      description: textOf(line, 'description') || null,
      discount_amounts: [],
      discountable: false,
      discounts: [],
      invoice: invoice.id,
      livemode: false,
      metadata: textsOf(line, 'metadata'),
      parent: null,
      period: {
        start: wholeOf(period, 'start') ?? invoice.created,
        end: wholeOf(period, 'end') ?? invoice.created,
      },
      pretax_credit_amounts: [],
      pricing: null,
      quantity: 1,
      quantity_decimal: null,
      subscription: null,
      subtotal: amount,
      taxes: listOf(line, 'tax_amounts').map(toTax),
    });
  }
  sumUp(invoice);
}

function toTax(form: FormFields): Stripe.InvoiceLineItem.Tax {
  const rate = fieldsOf(form, 'tax_rate_data');
  const [name, percentage] = [textOf(rate, 'display_name'), Number(textOf(rate, 'percentage'))];
  if (!name || !Number.isFinite(percentage)) {
    throw invalid('A tax needs a name and a percentage.', 'parameter_missing', 'tax_rate_data');
  }
  return {
    amount: wholeOf(form, 'amount') ?? 0,
    tax_behavior: textOf(rate, 'inclusive') === 'true' ? 'inclusive' : 'exclusive',
    tax_rate_details: { tax_rate: `txr_${name}_${percentage}`.toLowerCase() },
    taxability_reason: 'standard_rated',
    taxable_amount: wholeOf(form, 'taxable_amount') ?? null,
    type: 'tax_rate_details',
  };
}

function sumUp(invoice: Stripe.Invoice): void {
  const subtotal = invoice.lines.data.reduce((sum, { amount }) => sum + amount, 0);
  const totals = new Map<string, Stripe.Invoice.TotalTax>();
  for (const tax of invoice.lines.data.flatMap(({ taxes }) => taxes ?? [])) {
    const name = tax.tax_rate_details?.tax_rate ?? '';
    const known = totals.get(name);
    if (!known) totals.set(name, { ...tax });
    else {
      known.amount += tax.amount;
      known.taxable_amount = (known.taxable_amount ?? 0) + (tax.taxable_amount ?? 0);
    }
  }
  const taxes = [...totals.values()];
  const total = subtotal + taxes.reduce((sum, { amount }) => sum + amount, 0);
  Object.assign(invoice, {
    subtotal,
    subtotal_excluding_tax: subtotal,
    total,
    total_excluding_tax: subtotal,
    total_taxes: taxes,
  } satisfies Partial<Stripe.Invoice>);
  setDue(invoice, total + invoice.starting_balance);
}

/** A credit is kept for the next invoice; nothing is due then. */
export function setDue(invoice: Stripe.Invoice, due: number): void {
  invoice.amount_due = Math.max(0, due);
  invoice.amount_remaining = Math.max(0, invoice.amount_due - invoice.amount_paid);
}
