import type { z } from 'zod';
import type { RequestContext } from '#server/context.ts';
import { toInstant } from '../../shared/schema.ts';
import { type InvoiceFile, writeInvoiceFile } from './export-invoice.ts';
import { fetchHostedUrl } from './get-hosted-invoice.ts';
import { requireLinkedInvoice } from './invoice-links.ts';
import { invoiceLinkFileInput, invoiceLinkInput, type LinkedInvoice } from './schema.ts';
import { toInvoiceDetail } from './to-invoice.ts';

type Input = z.input<typeof invoiceLinkInput>;

/**
 * Returns the invoice of a link, for whoever has it.
 * @throws billing_off, too_many_requests, invoice_link_invalid
 */
export async function openLinkedInvoice(context: RequestContext, input: Input): Promise<LinkedInvoice> {
  const { token } = invoiceLinkInput.parse(input);
  const { app } = context;
  const { row, organizationName, expiresAt } = await requireLinkedInvoice(context, token);
  const invoice = await toInvoiceDetail(app.db, app, row);
  return {
    ...invoice,
    // That one is for members; the link has its own.
    hosted_invoice_url: null,
    is_payable: row.status === 'open' || row.status === 'uncollectible',
    organization_name: organizationName,
    expires_at: toInstant(expiresAt),
  };
}

/**
 * Returns the invoice of a link as PDF, in the requested language or else the customer's.
 * @throws billing_off, too_many_requests, invoice_link_invalid
 */
export async function exportLinkedInvoice(
  context: RequestContext,
  input: z.input<typeof invoiceLinkFileInput>,
): Promise<InvoiceFile> {
  const { token, language } = invoiceLinkFileInput.parse(input);
  const { row } = await requireLinkedInvoice(context, token);
  return writeInvoiceFile(context.app, row, 'pdf', language);
}

/**
 * Returns the current address of the provider's page, on which the invoice of a link is paid.
 * @throws billing_off, too_many_requests, invoice_link_invalid, invoice_not_found before it is issued, payments_unavailable
 */
export async function payLinkedInvoice(context: RequestContext, input: Input): Promise<{ url: string }> {
  const { token } = invoiceLinkInput.parse(input);
  const { row } = await requireLinkedInvoice(context, token);
  return { url: await fetchHostedUrl(context.app, row) };
}
