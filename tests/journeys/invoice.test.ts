import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { TEST_CARDS } from '#tests/support/billing/billing.ts';
import {
  billMonth,
  lastMonth,
  linkToInvoice,
  servedIn,
  setUpServerBilling,
} from '#tests/support/billing/server-billing.ts';
import {
  arrive,
  expectAccessible,
  expectFitsPhone,
  expectNothingCut,
  startOwnJourney,
  TABLET,
} from '#tests/support/browser/journey.ts';
import { refuseProcedures } from '#tests/support/browser/refuse-procedures.ts';
import { readPdf } from '#tests/support/read-pdf.ts';
import { insertPastUsage } from '#tests/support/usage/server-usage.ts';

const journey = startOwnJourney({
  BILLING_MODE: 'sandbox',
  TAX_REGISTRATIONS: 'GST:123456789RT0001,QST:1234567890TQ0001',
});

/** Signs in a person who is billed for what one endpoint served in a past month. */
async function visitWithInvoice(locale: 'en-CA' | 'fr-CA' = 'en-CA') {
  const { server } = journey();
  const visitor = await journey().visitSignedIn({ locale });
  const { organizationId } = visitor;
  await setUpServerBilling(server, organizationId);
  await insertPastUsage(server, organizationId, [servedIn(lastMonth(), 'www.example.ca')]);
  const invoiceId = await billMonth(server, organizationId);
  if (invoiceId === null) throw new Error('the month is billed');
  return { ...visitor, invoiceId };
}

/** The text of a table's cells, by row. */
async function rowsOf(page: Page, name: string, part: 'tbody' | 'tfoot'): Promise<string[][]> {
  const rows = await page.getByRole('table', { name }).locator(`> ${part} > tr`).all();
  const texts = await Promise.all(rows.map((row) => row.locator('> th, > td').allInnerTexts()));
  return texts.map((cells) => cells.map((cell) => (cell.split('\n')[0] ?? '').replaceAll('\u00a0', ' ')));
}

/** Presses a button that saves a file, and returns its name and content. */
async function save(page: Page, name: string): Promise<{ filename: string; content: Buffer }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name, exact: true }).first().click(),
  ]);
  return { filename: download.suggestedFilename(), content: await readFile(await download.path()) };
}

const monthName = (locale: string) =>
  new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'long', timeZone: 'UTC' }).format(
    Date.UTC(lastMonth().year, lastMonth().month - 1, 1),
  );

describe('an invoice', () => {
  it('is opened from the history and shows what is billed, to the cent', async () => {
    const { page, organizationId, invoiceId } = await visitWithInvoice();
    await arrive(page, `/${organizationId}/billing`);
    await page.getByRole('link', { name: `View Details: ${monthName('en-CA')}` }).click();
    await page.waitForURL(`**/billing/invoices/${invoiceId}`);
    await page.getByRole('heading', { level: 1, name: `Invoice ${invoiceId}` }).waitFor();
    await page.getByText(monthName('en-CA'), { exact: true }).waitFor();
    await page.getByRole('note').getByText('Sandbox: no money moves').waitFor();
    // No site existed, so there is no row for sites.
    expect(await rowsOf(page, 'Usage billed', 'tbody')).toEqual([
      ['CDN endpoints', '1', '$2.00 per CDN endpoint', '$2.00'],
      ['Bandwidth', '1.50 GB', '$0.10 per GB', '$0.15'],
      ['HTTP requests', '2.5 million', '$1.00 per million', '$2.50'],
    ]);
    expect(await rowsOf(page, 'Usage billed', 'tfoot')).toEqual([
      ['Subtotal', '$4.65'],
      ['GST (5%)', '$0.23'],
      ['QST (9.975%)', '$0.46'],
      ['Total', '$5.34'],
    ]);
    // A job may have charged it in the meantime.
    const hosted = page.getByRole('link', { name: /^(Pay|View hosted) invoice \(opens in a new tab\)$/ });
    expect(await hosted.getAttribute('href')).toContain(`/api/v1/billing/invoices/${invoiceId}/hosted`);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Back to Billing' }).click();
    await page.getByRole('heading', { level: 1, name: 'Billing' }).waitFor();
  });

  it('explains each amount, with the numbers of the usage pages down to their CSV', async () => {
    const { page, organizationId, invoiceId } = await visitWithInvoice();
    await arrive(page, `/${organizationId}/billing/invoices/${invoiceId}`);
    const why = page.getByRole('button', { name: /Why this amount.*HTTP requests/ });
    await why.click();
    expect(await why.getAttribute('aria-expanded')).toBe('true');
    const byEndpoint = page.getByRole('region', { name: 'HTTP requests: By site and endpoint' });
    const byDay = page.getByRole('region', { name: 'HTTP requests: By day (UTC)' });
    await byEndpoint.getByRole('link', { name: 'www.example.ca' }).waitFor();
    await expect.poll(() => byDay.locator('tbody td').allInnerTexts()).toEqual(['2,000,000', '500,000']);
    expect(await byDay.locator('tfoot td').innerText()).toBe('2,500,000');
    await page.getByText('2,500,000 requests are 2.5 million; × $1.00 per million = $2.50').waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    await expectNothingCut(page, TABLET);
    // On paper there is nothing to scroll.
    await page.emulateMedia({ media: 'print' });
    expect(await byDay.evaluate((list) => getComputedStyle(list).maxHeight)).toBe('none');
    await page.emulateMedia({ media: 'screen' });

    // Its own CSV is in the header; the explanation's has the rows of the usage pages.
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).last().click(),
    ]);
    const [head = '', ...lines] = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
    const at = head.split(',').indexOf('total_requests');
    const sum = lines.reduce((all, line) => all + Number(line.split(',')[at]), 0);
    expect(sum).toBe(2_500_000);

    await page.getByRole('button', { name: /Why this amount.*CDN endpoints/ }).click();
    await page
      .getByText('An endpoint counts if it existed at any time during the month.', { exact: false })
      .waitFor();
    await byEndpoint.getByRole('link', { name: 'www.example.ca' }).click();
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
    expect(new URL(page.url()).searchParams.get('start_date')).toMatch(/-01$/);
  });

  it('is saved as PDF and CSV in the language of the page', async () => {
    const { page, organizationId, invoiceId } = await visitWithInvoice('fr-CA');
    await arrive(page, `/${organizationId}/billing/invoices/${invoiceId}`);
    await page.getByRole('heading', { level: 1, name: `Facture ${invoiceId}` }).waitFor();
    expect(await rowsOf(page, 'Utilisation facturée', 'tbody')).toContainEqual([
      'Requêtes HTTP',
      '2,5 millions',
      '1,00 $ par million',
      '2,50 $',
    ]);
    expect(await rowsOf(page, 'Utilisation facturée', 'tfoot')).toEqual([
      ['Sous-total', '4,65 $'],
      ['TPS (5 %)', '0,23 $'],
      ['TVQ (9,975 %)', '0,46 $'],
      ['Total', '5,34 $'],
    ]);
    const pdf = await save(page, 'Télécharger le PDF');
    expect(pdf.filename).toMatch(/^invoice-\d{4}-\d{2}-[\w-]+\.pdf$/);
    expect(readPdf(pdf.content).pages.join()).toContain('5,34 $');
    const csv = await save(page, 'Télécharger le CSV');
    expect(csv.content.toString()).toContain('Points de terminaison CDN');
    await expectFitsPhone(page);
  });

  it('that does not exist, or cannot be loaded, leads back to billing', async () => {
    const { page, organizationId, invoiceId } = await visitWithInvoice();
    await arrive(page, `/${organizationId}/billing/invoices/unknown`);
    await page.getByRole('heading', { level: 1, name: 'Invoice Not Found' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Back to Billing' }).click();
    const details = page.getByRole('link', { name: `View Details: ${monthName('en-CA')}` });
    await details.waitFor();
    const refused = new Set(['billing.invoice']);
    await refuseProcedures(page, refused);
    await details.click();
    await page.getByRole('heading', { level: 1, name: 'Invoice Not Found' }).waitFor();
    const alert = page.getByRole('alert').filter({ hasText: 'Failed to load invoice' });
    refused.clear();
    await alert.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('heading', { level: 1, name: `Invoice ${invoiceId}` }).waitFor();
  });
});

/** A link to an open invoice of an organization that the visitor does not belong to. */
async function makeLink(): Promise<string> {
  const { server } = journey();
  const { organizationId } = await journey().visitSignedIn();
  await setUpServerBilling(server, organizationId, [TEST_CARDS.authenticates]);
  await insertPastUsage(server, organizationId, [servedIn(lastMonth(), 'www.example.ca')]);
  const invoiceId = (await billMonth(server, organizationId)) ?? '';
  const { pathname, hash } = new URL(await linkToInvoice(server, invoiceId));
  return `${pathname}${hash}`;
}

describe('a link to an invoice', () => {
  it('shows it to somebody without an account, who saves and pays it', async () => {
    const link = await makeLink();
    const { page } = await journey().visit({ locale: 'fr-CA' });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await arrive(page, link);
    await page.getByRole('heading', { level: 1, name: /^Facture / }).waitFor();
    await page.getByText('Analytical Engines').waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    // What opens the invoice is in no address that a server sees.
    const token = link.split('#')[1] ?? '';
    expect(asked.some((address) => address.includes(token))).toBe(false);
    expect(await page.content()).not.toContain(token);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Télécharger le PDF' }).click(),
    ]);
    expect(readPdf(await readFile(await download.path())).pages.join(' ')).toContain('Facture');
    await page.getByRole('button', { name: 'Payer la facture' }).click();
    await page.waitForURL('**/_sandbox/invoices/*');
    await page.getByRole('button', { name: 'Payer avec la carte enregistrée' }).click();
    await page.getByText('Payée', { exact: true }).waitFor();
  });

  it('that is wrong says so, and nothing else', async () => {
    const { page } = await journey().visit();
    await arrive(page, '/invoice#wrong');
    await page.getByRole('heading', { level: 1, name: 'This link no longer works' }).waitFor();
    await expectAccessible(page);
  });
});
