import type { z } from 'zod';
import type { App, OrganizationContext } from '#server/context.ts';
import type { Language } from '../../identity/rules.ts';
import { formatMonth } from '../months/month-rules.ts';
import { requireBillingRight } from '../require-payments.ts';
import type { InvoiceRow } from './follow-invoice.ts';
import { requireInvoice } from './get-invoice.ts';
import { readInvoiceDocument } from './invoice-document.ts';
import { languageOf } from './issue-invoice.ts';
import { invoiceFileInput, invoiceInput } from './schema.ts';
import { writeInvoiceCsv } from './write-invoice-csv.ts';
import { writeInvoicePdf } from './write-invoice-pdf.ts';

/** An invoice as a file. */
export interface InvoiceFile {
  /** `invoice-2026-03-ABCD-0001.pdf` */
  filename: string;
  /** Changes whenever the content may have changed. */
  revision: string;
  content: Buffer;
}

type Input = z.input<typeof invoiceInput> & z.input<typeof invoiceFileInput>;

/**
 * Returns an invoice as PDF or CSV, in the requested language or else the customer's. A draft can be exported
 * too, and is marked as one.
 * @throws billing_off, person_required, invoice_not_found
 */
export async function exportInvoice(
  context: OrganizationContext,
  format: 'pdf' | 'csv',
  input: Input,
): Promise<InvoiceFile> {
  const { account } = requireBillingRight(context, 'billing.read');
  const { invoice_id } = invoiceInput.parse(input);
  const row = await requireInvoice(context.app.db, account, invoice_id);
  return writeInvoiceFile(context.app, row, format, invoiceFileInput.parse(input).language);
}

/** Returns an invoice as a file, in the given language or else the customer's. */
export async function writeInvoiceFile(
  app: App,
  row: InvoiceRow,
  format: 'pdf' | 'csv',
  wanted: Language | undefined,
): Promise<InvoiceFile> {
  const language = wanted ?? (await languageOf(app, row.organization_id));
  const invoice = await readInvoiceDocument(app.db, row);
  const content =
    format === 'pdf'
      ? await writeInvoicePdf(invoice, language)
      : Buffer.from(writeInvoiceCsv(invoice, language));
  const name = (invoice.number ?? invoice.id).replace(/[^\w-]/g, '');
  return {
    filename: `invoice-${formatMonth(invoice.month)}-${name}.${format}`,
    revision: `${format} ${language} ${content.length} ${JSON.stringify(invoice, withoutBigInts)}`,
    content,
  };
}

function withoutBigInts(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
