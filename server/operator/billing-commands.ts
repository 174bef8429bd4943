import type { z } from 'zod';
import { checkBooks } from '../services/billing/books/check-books.ts';
import { creditInvoice, refundInvoice } from '../services/billing/credits/credit-invoice.ts';
import { recordRepayment } from '../services/billing/credits/record-repayment.ts';
import { formatMoney } from '../services/billing/invoices/invoice-words.ts';
import { linkInvoice } from '../services/billing/invoices/link-invoice.ts';
import { listInvoicesForOperator } from '../services/billing/invoices/list-invoices-for-operator.ts';
import { markInvoicePaid } from '../services/billing/invoices/mark-invoice-paid.ts';
import { resendInvoice } from '../services/billing/invoices/resend-invoice.ts';
import { voidInvoice } from '../services/billing/invoices/void-invoice.ts';
import { previewMonth } from '../services/billing/months/preview-month.ts';
import { runMonth } from '../services/billing/months/run-month.ts';
import { creditInvoiceInput, listInvoicesForOperatorInput } from '../services/billing/schema-for-operator.ts';
import { type Command, type CommandInput, command, textOption } from './command.ts';
import { plain, table } from './format-text.ts';
import { UsageError } from './parse-command-line.ts';

const INVOICE = 'INVOICE';
/** An amount with its taxes, or `all` that is left. */
const DOLLARS = 'DOLLARS';
const REASONS = {
  reason: textOption('TEXT', 'shown to the customer and printed on the invoice', true),
  'reason-fr': textOption('TEXT', 'the same for people who read French'),
};

export const billingCommands: readonly Command[] = [
  command({
    name: 'billing preview',
    summary: 'Print what would be billed for a month as it stands, without changing anything',
    args: ['MONTH'],
    run: (context, { args }) => previewMonth(context, { month: args[0] ?? '' }),
    show: (invoices) =>
      table(
        ['ORGANIZATION', 'NAME', 'SUBTOTAL', 'TOTAL', 'HELD', 'CLOSED'],
        invoices.map((each) => [
          each.organization_id,
          each.name,
          dollars(each.subtotal_cents),
          dollars(each.total_cents),
          each.hold_reason,
          each.is_closed,
        ]),
        'Nothing would be billed.',
      ),
  }),
  command({
    name: 'billing run',
    summary: 'Bill a past month now; the jobs do so automatically',
    args: ['MONTH'],
    run: (context, { args }) => runMonth(context, { month: args[0] ?? '' }),
    show: ({ closed, issued, tried }) =>
      `The month was closed for ${closed} organizations. ${issued} invoices were issued and ${tried} payments attempted.`,
  }),
  command({
    name: 'billing invoices',
    summary: 'List invoices, newest first',
    options: {
      status: textOption('draft|open|paid|void', 'only those in this status'),
      month: textOption('MONTH', 'only those of this month, e.g. 2026-03'),
    },
    run: (context, { option }) =>
      listInvoicesForOperator(
        context,
        listInvoicesForOperatorInput.parse({ status: option('status'), month: option('month') }),
      ),
    show: (invoices) =>
      table(
        [
          'ID',
          'NUMBER',
          'ORGANIZATION',
          'MONTH',
          'STATUS',
          'TOTAL',
          'PAYMENT',
          'HELD',
          'PROBLEM',
          'NEXT ATTEMPT',
        ],
        invoices.map((each) => [
          each.id,
          each.number,
          each.organization_id,
          each.month,
          each.status,
          dollars(each.total_cents),
          each.payment_state,
          each.hold_reason,
          each.payment_problem,
          each.next_attempt_at,
        ]),
        'There are no such invoices.',
      ),
  }),
  command({
    name: 'billing check',
    summary:
      'Calculate every invoice again and add up payments, credits and refunds, without changing anything',
    run: (context) => checkBooks(context),
    show: ({ differences, ...books }) =>
      [
        `Organizations: ${books.organizations}, invoices: ${books.invoices}. In CAD: ${dollars(books.invoiced_cents)} invoiced, ${dollars(books.credited_cents)} credited, ${dollars(books.paid_cents)} paid, ${dollars(books.refunded_cents)} refunded, ${dollars(books.open_cents)} left to pay, ${dollars(books.balance_cents)} added to next invoices.`,
        table(
          ['ORGANIZATION', 'MONTH', 'INVOICE', 'DIFFERENCE'],
          differences.map((each) => [each.organization_id, each.month, each.invoice_id, each.difference]),
          'Everything adds up.',
        ),
      ].join('\n\n'),
    isFailure: ({ differences }) => differences.length > 0,
  }),
  command({
    name: 'billing credit',
    summary: 'Credit a part of an issued invoice, or all: less is due, or it is kept for the next one',
    args: [INVOICE, DOLLARS],
    options: REASONS,
    run: (context, input) => creditInvoice(context, readCredit(input)),
    show: ({ number, id, credited_cents }) =>
      `${plain(number ?? id)}: ${formatMoney(credited_cents, 'en-CA')} credited in total.`,
  }),
  command({
    name: 'billing refund',
    summary: 'Credit a part of a paid invoice, or all, and give the money back to the card that paid it',
    args: [INVOICE, DOLLARS],
    options: REASONS,
    run: (context, input) => refundInvoice(context, readCredit(input)),
    show: ({ number, id, credited_cents }) =>
      `${plain(number ?? id)}: ${formatMoney(credited_cents, 'en-CA')} credited in total, with this refund.`,
  }),
  command({
    name: 'billing void',
    summary: 'Void an unpaid or held invoice, so that it is never charged',
    args: [INVOICE],
    run: (context, { args }) => voidInvoice(context, { invoice_id: args[0] ?? '' }),
    show: ({ number, id }) => `${plain(number ?? id)} is void.`,
  }),
  command({
    name: 'billing paid',
    summary: 'Record a payment that was made by other means',
    args: [INVOICE],
    run: (context, { args }) => markInvoicePaid(context, { invoice_id: args[0] ?? '' }),
    show: ({ number, id }) => `${plain(number ?? id)} is paid.`,
  }),
  command({
    name: 'billing repaid',
    summary: 'Record that what a bank rejected of a refund was given back in another way',
    args: [INVOICE],
    run: (context, { args }) => recordRepayment(context, { invoice_id: args[0] ?? '' }),
    show: ({ number, id, repaid_cents }) =>
      `${plain(number ?? id)}: nothing that a bank rejected is owed any more. ${formatMoney(repaid_cents, 'en-CA')} was given back by other means than refunds at the payment provider.`,
  }),
  command({
    name: 'billing resend',
    summary: 'Email an invoice to the billing contact again',
    args: [INVOICE],
    run: (context, { args }) => resendInvoice(context, { invoice_id: args[0] ?? '' }),
    show: ({ number, id }) => `${plain(number ?? id)} was sent again.`,
  }),
  command({
    name: 'billing link',
    summary: 'Print a link that opens an invoice without signing in, for 90 days',
    args: [INVOICE],
    run: (context, { args }) => linkInvoice(context, { invoice_id: args[0] ?? '' }),
    show: ({ link, expires_at }) => `${link}\nIt works until ${expires_at}. Whoever has it sees the invoice.`,
  }),
];

function dollars(cents: number): string {
  return (cents / 100).toFixed(2);
}

function readCredit({ args, option }: CommandInput): z.output<typeof creditInvoiceInput> {
  const [invoice_id, amount = ''] = args;
  return creditInvoiceInput.parse({
    invoice_id,
    amount_cents: amount === 'all' ? amount : toCents(amount),
    reason: option('reason'),
    reason_fr: option('reason-fr'),
  });
}

/** Returns the cents of an amount such as `12.34`. @throws UsageError */
function toCents(typed: string): number {
  const cents = /^\d{1,12}(\.\d{2})?$/.test(typed) ? Math.round(Number(typed) * 100) : 0;
  if (cents === 0) throw new UsageError('DOLLARS must be an amount above zero, such as 12.50, or all.');
  return cents;
}
