import { describe, expect, it } from 'vitest';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { insertOpenInvoice, SANDBOX_BILLING, setUpBilling } from '#tests/support/billing/billing.ts';
import { readPdf } from '#tests/support/read-pdf.ts';
import { countUsage, usageRow } from '#tests/support/usage/usage-batches.ts';
import { exportInvoice } from './export-invoice.ts';
import { readInvoiceDocument } from './invoice-document.ts';
import { writeInvoicePdf } from './write-invoice-pdf.ts';

const FEBRUARY = Date.UTC(2026, 1, 10);
const REGISTRATIONS = 'GST:123456789RT0001,QST:1234567890TQ0001';

async function prepare(contact: Parameters<typeof setUpBilling>[1] = {}) {
  const environment = {
    ...SANDBOX_BILLING,
    TAX_REGISTRATIONS: REGISTRATIONS,
    SELLER_NAME: 'Hébergement du Nord inc.',
    SELLER_ADDRESS: '5 rue du Port, Québec QC G1K 4A1',
  };
  const app = await createTestApp({ environment });
  const { context } = await createTestPerson(app);
  await setUpBilling(context, contact);
  const used = { bytes_sent: 3 * 2 ** 29, requests: 2_500_000 };
  await countUsage(app, [usageRow(context.organization.id, { endpointId: 'endpoint' }, used)], FEBRUARY);
  const invoice_id = await insertOpenInvoice(context);
  const pdf = (language: 'en-CA' | 'fr-CA') => exportInvoice(context, 'pdf', { invoice_id, language });
  const csv = async (language?: 'en-CA' | 'fr-CA') =>
    (await exportInvoice(context, 'csv', { invoice_id, language })).content.toString();
  return { app, context, invoice_id, pdf, csv };
}

describe('the PDF of an invoice', () => {
  it('contains everything that Canadian rules require, with embedded fonts', async () => {
    const { pdf } = await prepare();
    const { content, filename } = await pdf('en-CA');
    expect(filename).toMatch(/^invoice-2026-02-[\w-]+\.pdf$/);
    const { pages, embeddedFonts, plain } = readPdf(content);
    expect(pages).toHaveLength(1);
    expect(embeddedFonts).toEqual(expect.arrayContaining(['Geist-Regular', 'Geist-SemiBold']));
    expect(plain).toContain('/Lang (en-CA)');
    const said = (pages[0] ?? '').split('\n');
    for (const part of [
      'Hébergement du Nord inc.',
      '5 rue du Port, Québec QC G1K 4A1',
      'Analytical Engines',
      'Ada Lovelace',
      '1 rue Sainte-Catherine',
      'Montréal QC H2X 1K4',
      'Canada',
      'Invoice date',
      'March 1, 2026',
      'February 1–28, 2026',
      'Active sites',
      '$3.00 / site',
      '1.5 GB',
      '2.5 M',
      'Subtotal',
      '$5.65',
      'GST (5%) · 123456789RT0001',
      '$0.28',
      'QST (9.975%) · 1234567890TQ0001',
      '$0.56',
      'Total (CAD)',
      '$6.49',
      'Payable on receipt, by the card on file. All amounts are in Canadian dollars.',
      'Page 1 of 1',
    ]) {
      expect(said).toContain(part);
    }
  });

  it('is in French for customers who read French', async () => {
    const { pdf } = await prepare();
    const { pages, plain } = readPdf((await pdf('fr-CA')).content);
    expect(plain).toContain('/Lang (fr-CA)');
    const said = (pages[0] ?? '').split('\n');
    for (const part of [
      'Facture',
      'Février 2026',
      'Bande passante',
      '1,5 Go',
      'TVQ (9,975 %) · 1234567890TQ0001',
      '6,49 $',
    ]) {
      expect(said).toContain(part);
    }
  });

  it('has the same bytes each time, and differs by language', async () => {
    const { pdf } = await prepare();
    const [one, other, french] = [await pdf('en-CA'), await pdf('en-CA'), await pdf('fr-CA')];
    expect(one.content.equals(other.content)).toBe(true);
    expect(one.revision).toBe(other.revision);
    expect(french.revision).not.toBe(one.revision);
  });

  it('supports names in any script, and states why there is no tax', async () => {
    const contact = { name: 'Ελένη Παππά', company_name: 'Łódź', country: 'GR', province: 'Αττική' };
    const { pdf } = await prepare({ contact: { ...contact, postal_code: '105 57' } });
    const { pages, embeddedFonts } = readPdf((await pdf('en-CA')).content);
    const said = (pages[0] ?? '').split('\n');
    expect(said).toEqual(expect.arrayContaining(['Ελένη Παππά', 'Łódź', 'Greece']));
    expect(said).toContain('Zero-rated supply: the buyer is outside Canada.');
    expect(embeddedFonts).toContain('DejaVuSans');
  });

  it('continues on further numbered pages when there are many lines', async () => {
    const { app, invoice_id } = await prepare();
    const row = app.db.selectFrom('invoices').selectAll().where('id', '=', invoice_id);
    const invoice = await readInvoiceDocument(app.db, await row.executeTakeFirstOrThrow());
    const [line] = invoice.lines;
    if (!line) throw new Error('the invoice has lines');
    const late = { ...line, kind: 'adjustment' as const, cutCents: 5 };
    const many = { ...invoice, lines: Array.from({ length: 40 }, () => late) };
    const { pages } = readPdf(await writeInvoicePdf(many, 'en-CA'));
    expect(pages.length).toBeGreaterThan(1);
    pages.forEach((page, index) => {
      expect(page).toContain(`Page ${index + 1} of ${pages.length}`);
    });
    const written = pages.join('\n').split('\n');
    expect(written.filter((text) => text === 'Active sites')).toHaveLength(40);
    expect(written.filter((text) => text === 'Total (CAD)')).toHaveLength(1);
  });
});

describe('the CSV of an invoice', () => {
  it('has its lines, taxes and total, in bytes and requests like the usage pages', async () => {
    const { csv } = await prepare();
    const lines = (await csv('en-CA')).split('\r\n');
    expect(lines).toEqual([
      '\uFEFFLine,Description,Month,Quantity,Unit,Rate (CAD),Amount (CAD)',
      '1,Active sites,2026-02,1,sites,3.00/site,3.00',
      `2,Bandwidth,2026-02,${3 * 2 ** 29},bytes,0.10/GB,0.15`,
      '3,HTTP requests,2026-02,2500000,requests,1.00/million,2.50',
      '4,Subtotal,2026-02,,,,5.65',
      '5,GST,2026-02,,,5%,0.28',
      '6,QST,2026-02,,,9.975%,0.56',
      '7,Total (CAD),2026-02,,,,6.49',
      '',
    ]);
  });

  it('marks a draft as one', async () => {
    const { app, invoice_id, csv } = await prepare();
    await app.db
      .updateTable('invoices')
      .set({ status: 'draft', number: null })
      .where('id', '=', invoice_id)
      .execute();
    expect(await csv('en-CA')).toContain('Total (CAD) – Draft invoice,2026-02,,,,6.49');
    expect(await csv('fr-CA')).toContain('Total (CAD) – Facture provisoire,');
  });

  it('is in the customer’s language unless another is requested', async () => {
    const { app, context, csv } = await prepare();
    expect(await csv()).toContain('Active sites');
    const { actor } = context;
    if (actor.kind !== 'person') throw new Error('a person asks');
    await app.db
      .updateTable('users')
      .set({ language_preference: 'fr-CA' })
      .where('id', '=', actor.userId)
      .execute();
    expect(await csv()).toContain('Sites actifs');
  });

  it('is available to members of the organization', async () => {
    const { app, invoice_id } = await prepare();
    const stranger = await createTestPerson(app);
    for (const format of ['pdf', 'csv'] as const) {
      await expect(exportInvoice(stranger.context, format, { invoice_id })).rejects.toMatchObject({
        code: 'invoice_not_found',
      });
    }
  });
});
