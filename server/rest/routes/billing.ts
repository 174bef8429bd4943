import { Readable } from 'node:stream';
import { z } from 'zod';
import { addPaymentMethod } from '../../services/billing/customers/add-payment-method.ts';
import { createCustomer } from '../../services/billing/customers/create-customer.ts';
import { createSetupIntent } from '../../services/billing/customers/create-setup-intent.ts';
import { getCustomer } from '../../services/billing/customers/get-customer.ts';
import { removePaymentMethod } from '../../services/billing/customers/remove-payment-method.ts';
import { setDefaultPaymentMethod } from '../../services/billing/customers/set-default-payment-method.ts';
import { updateBillingContact } from '../../services/billing/customers/update-billing-contact.ts';
import { getBillingStatus } from '../../services/billing/get-billing-status.ts';
import { exportInvoice, type InvoiceFile } from '../../services/billing/invoices/export-invoice.ts';
import { getHostedInvoice } from '../../services/billing/invoices/get-hosted-invoice.ts';
import { getInvoice } from '../../services/billing/invoices/get-invoice.ts';
import { getInvoiceUsage } from '../../services/billing/invoices/get-invoice-usage.ts';
import { listInvoices } from '../../services/billing/invoices/list-invoices.ts';
import {
  exportLinkedInvoice,
  openLinkedInvoice,
  payLinkedInvoice,
} from '../../services/billing/invoices/open-linked-invoice.ts';
import {
  costSchema,
  hostedInvoiceSchema,
  invoiceDetailSchema,
  invoiceFileInput,
  invoiceInput,
  invoiceLinkFileInput,
  invoiceLinkInput,
  invoiceSchema,
  invoiceUsageSchema,
  linkedInvoiceSchema,
} from '../../services/billing/invoices/schema.ts';
import { getCost } from '../../services/billing/months/get-cost.ts';
import {
  addPaymentMethodInput,
  billingStatusSchema,
  createCustomerInput,
  customerSchema,
  paymentMethodInput,
  setupIntentSchema,
  updateContactInput,
} from '../../services/billing/schema.ts';
import { listSpendingLimits } from '../../services/billing/spending/list-spending-limits.ts';
import { removeSpendingLimit } from '../../services/billing/spending/remove-spending-limit.ts';
import {
  setSpendingLimitInput,
  spendingLimitInput,
  spendingLimitSchema,
} from '../../services/billing/spending/schema.ts';
import { setSpendingLimit } from '../../services/billing/spending/set-spending-limit.ts';
import { hashTag } from '../hash-tag.ts';
import { type Download, openRoute, organizationRoute, type Route } from '../route.ts';

const tag = 'Billing';
const errors = ['billing_off', 'person_required'] as const;
const customerErrors = [...errors, 'billing_customer_not_found'] as const;
const who =
  'Every member reads; the owner changes. Amounts are cents of Canadian dollars. A credential is refused.';

const linkErrors = ['billing_off', 'invoice_link_invalid'] as const;
/** It is sent in the body, since addresses are written to logs. */
const linked =
  'Messages about invoices have such a link for a billing contact who is no member, and for that of a deleted organization; ' +
  '`token` is what follows its `#`. It works for 90 days, for whoever has it, unless the billing email changes.';
const fileLanguage = 'Without `language`, the customer’s language is used.';

function toDownload({ filename, revision, content }: InvoiceFile): Download {
  return { filename, etag: hashTag(revision), stream: Readable.from([content], { objectMode: false }) };
}

export const billingRoutes: Route[] = [
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/billing/status',
      id: 'getBillingStatus',
      tag,
      summary: 'Get whether the organization may create what is billed, and what is missing',
      description: `Also works when billing is off. ${who}`,
      success: { kind: 'json', status: 200, schema: billingStatusSchema },
      errors: ['person_required'],
    },
    ({ context }) => getBillingStatus(context),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/billing/customer',
      id: 'getBillingCustomer',
      tag,
      summary: 'Get the billing customer: contact and payment methods',
      description: who,
      success: { kind: 'json', status: 200, schema: customerSchema },
      errors: customerErrors,
    },
    ({ context }) => getCustomer(context),
  ),
  organizationRoute(
    {
      method: 'POST',
      path: '/api/v1/billing/customer',
      id: 'createBillingCustomer',
      tag,
      summary: 'Set up billing',
      description:
        'In Canada, `province` determines the taxes and must be valid; `country` is empty for one that is not in the list. Sending it ' +
        'again replaces the contact.',
      body: { json: createCustomerInput },
      success: { kind: 'json', status: 201, schema: customerSchema },
      errors: [...errors, 'payments_unavailable'],
      refuses: 'credentials and operators',
    },
    ({ context, body }) => createCustomer(context, body),
  ),
  organizationRoute(
    {
      method: 'PUT',
      path: '/api/v1/billing/customer/billing-contact',
      id: 'updateBillingContact',
      tag,
      summary: 'Replace the billing contact',
      description:
        'Company, phone, second line and tax numbers that are absent are cleared; name and email stay. An address must be sent ' +
        'completely or not at all.',
      body: { json: updateContactInput },
      success: { kind: 'json', status: 200, schema: customerSchema },
      errors: customerErrors,
      refuses: 'credentials and operators',
    },
    ({ context, body }) => updateBillingContact(context, body),
  ),
  organizationRoute(
    {
      method: 'POST',
      path: '/api/v1/billing/setup-intent',
      id: 'createSetupIntent',
      tag,
      summary: 'Start adding a card',
      description:
        'The browser confirms the setup with the payment provider using this secret; the card never reaches this server.',
      body: { json: z.object({}), isOptional: true },
      success: { kind: 'json', status: 201, schema: setupIntentSchema },
      errors: [...customerErrors, 'payment_method_limit', 'payments_unavailable'],
      refuses: 'credentials and operators',
    },
    ({ context }) => createSetupIntent(context),
  ),
  organizationRoute(
    {
      method: 'POST',
      path: '/api/v1/billing/payment-methods',
      id: 'addPaymentMethod',
      tag,
      summary: 'Add the card of a confirmed setup immediately',
      description:
        'Without this call, the card is added when the provider reports it. A single card becomes the default.',
      body: { json: addPaymentMethodInput },
      success: { kind: 'json', status: 200, schema: customerSchema },
      errors: [...customerErrors, 'setup_not_found', 'setup_incomplete', 'payments_unavailable'],
      refuses: 'credentials and operators',
    },
    ({ context, body }) => addPaymentMethod(context, body),
  ),
  organizationRoute(
    {
      method: 'POST',
      path: '/api/v1/billing/payment-methods/default',
      id: 'setDefaultPaymentMethod',
      tag,
      summary: 'Choose the card that is charged',
      description: 'Unpaid invoices are charged to it right away.',
      body: { json: paymentMethodInput },
      success: { kind: 'json', status: 200, schema: customerSchema },
      errors: [...customerErrors, 'payment_method_not_found'],
      refuses: 'credentials and operators',
    },
    ({ context, body }) => setDefaultPaymentMethod(context, body),
  ),
  organizationRoute(
    {
      method: 'DELETE',
      path: '/api/v1/billing/payment-methods/{payment_method_id}',
      id: 'removePaymentMethod',
      tag,
      summary: 'Remove a card',
      description: 'When the default is removed, the oldest remaining card becomes the default.',
      params: paymentMethodInput,
      success: { kind: 'empty' },
      errors: [...customerErrors, 'payment_method_not_found'],
      refuses: 'credentials and operators',
    },
    ({ context, params }) => removePaymentMethod(context, params),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/billing/invoices',
      id: 'listInvoices',
      tag,
      summary: 'List invoices, newest first',
      description: who,
      success: { kind: 'json', status: 200, schema: z.array(invoiceSchema) },
      errors,
    },
    ({ context }) => listInvoices(context),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/billing/invoices/{invoice_id}',
      id: 'getInvoice',
      tag,
      summary: 'Get an invoice',
      description: who,
      params: invoiceInput,
      success: { kind: 'json', status: 200, schema: invoiceDetailSchema },
      errors: [...errors, 'invoice_not_found'],
    },
    ({ context, params }) => getInvoice(context, params),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/billing/invoices/{invoice_id}/usage',
      id: 'getInvoiceUsage',
      tag,
      summary: 'Get the usage behind the lines of an invoice',
      description:
        'The sites and endpoints that were counted, and what each served from `start_date` to `end_date`: the rows of ' +
        '`/api/v1/usage/stats` of those days, as they were known when the month closed.',
      params: invoiceInput,
      success: { kind: 'json', status: 200, schema: invoiceUsageSchema },
      errors: [...errors, 'invoice_not_found'],
    },
    ({ context, params }) => getInvoiceUsage(context, params),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/billing/invoices/{invoice_id}/pdf',
      id: 'getInvoicePdf',
      tag,
      summary: 'Get an invoice as PDF',
      description: `With everything that Canadian rules require of an invoice. ${fileLanguage}`,
      params: invoiceInput,
      query: invoiceFileInput,
      success: { kind: 'download', mediaType: 'application/pdf' },
      errors: [...errors, 'invoice_not_found'],
    },
    async ({ context, params, query }) =>
      toDownload(await exportInvoice(context, 'pdf', { ...params, ...query })),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/billing/invoices/{invoice_id}/csv',
      id: 'getInvoiceCsv',
      tag,
      summary: 'Get an invoice as CSV',
      description: `A row for each line, the subtotal, each tax and the total; quantities in bytes and requests. ${fileLanguage}`,
      params: invoiceInput,
      query: invoiceFileInput,
      success: { kind: 'download', mediaType: 'text/csv; charset=utf-8' },
      errors: [...errors, 'invoice_not_found'],
    },
    async ({ context, params, query }) =>
      toDownload(await exportInvoice(context, 'csv', { ...params, ...query })),
  ),
  openRoute(
    {
      audience: 'person',
      method: 'GET',
      path: '/api/v1/billing/invoices/{invoice_id}/hosted',
      id: 'openHostedInvoice',
      tag,
      summary: 'Go to the payment provider’s page of an invoice',
      description: 'The address expires, so request it each time.',
      params: invoiceInput,
      success: { kind: 'redirect' },
      errors: [...errors, 'invoice_not_found', 'payments_unavailable'],
    },
    ({ context, params }) => getHostedInvoice(context, params),
  ),
  openRoute(
    {
      audience: 'public',
      method: 'POST',
      path: '/api/v1/invoice-links/open',
      id: 'openLinkedInvoice',
      tag,
      summary: 'Get the invoice of a link',
      description: linked,
      body: { json: invoiceLinkInput },
      success: { kind: 'json', status: 200, schema: linkedInvoiceSchema },
      errors: linkErrors,
    },
    ({ context, body }) => openLinkedInvoice(context, body),
  ),
  openRoute(
    {
      audience: 'public',
      method: 'POST',
      path: '/api/v1/invoice-links/pdf',
      id: 'getLinkedInvoicePdf',
      tag,
      summary: 'Get the invoice of a link as PDF',
      description: `${linked} ${fileLanguage}`,
      body: { json: invoiceLinkFileInput },
      success: { kind: 'download', mediaType: 'application/pdf' },
      errors: linkErrors,
    },
    async ({ context, body }) => toDownload(await exportLinkedInvoice(context, body)),
  ),
  openRoute(
    {
      audience: 'public',
      method: 'POST',
      path: '/api/v1/invoice-links/pay',
      id: 'payLinkedInvoice',
      tag,
      summary: 'Get the address of the page on which the invoice of a link is paid',
      description: `${linked} The address expires, so request it each time.`,
      body: { json: invoiceLinkInput },
      success: { kind: 'json', status: 200, schema: hostedInvoiceSchema },
      errors: [...linkErrors, 'invoice_not_found', 'payments_unavailable'],
    },
    ({ context, body }) => payLinkedInvoice(context, body),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/billing/limits',
      id: 'listSpendingLimits',
      tag,
      summary: 'List spending limits with what has been spent under each this month',
      description: 'That of the organization includes taxes; those of sites and endpoints do not.',
      success: { kind: 'json', status: 200, schema: z.array(spendingLimitSchema) },
      errors,
    },
    ({ context }) => listSpendingLimits(context),
  ),
  organizationRoute(
    {
      method: 'PUT',
      path: '/api/v1/billing/limits',
      id: 'setSpendingLimit',
      tag,
      summary: 'Limit the monthly spending of the organization, a site or an endpoint',
      description:
        '`stop`: within a minute, what has reached it gets 503 for the rest of the month. Nothing beyond it is billed, except, where ' +
        'storage has a price, what is stored, as long as it is stored. `notify`: people are notified. What was spent before the limit was set is still billed.',
      body: { json: setSpendingLimitInput },
      success: { kind: 'json', status: 200, schema: z.array(spendingLimitSchema) },
      errors: [...errors, 'site_not_found', 'endpoint_not_found'],
      refuses: 'credentials and operators',
    },
    ({ context, body }) => setSpendingLimit(context, body),
  ),
  organizationRoute(
    {
      method: 'DELETE',
      path: '/api/v1/billing/limits/{limit_id}',
      id: 'removeSpendingLimit',
      tag,
      summary: 'Remove a spending limit',
      params: spendingLimitInput,
      success: { kind: 'empty' },
      errors: [...errors, 'spending_limit_not_found'],
      refuses: 'credentials and operators',
    },
    ({ context, params }) => removeSpendingLimit(context, params),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/billing/cost',
      id: 'getCost',
      tag,
      summary: 'Get the cost of the current month so far',
      description:
        'By the same rules as the invoice; `forecast_total_cents` projects the whole month at the current rate.',
      success: { kind: 'json', status: 200, schema: costSchema },
      errors,
    },
    ({ context }) => getCost(context),
  ),
];
