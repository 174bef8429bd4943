import { readFile } from 'node:fs/promises';
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
  startOwnJourney,
} from '#tests/support/browser/journey.ts';
import { readPdf } from '#tests/support/read-pdf.ts';
import { insertPastUsage } from '#tests/support/usage/server-usage.ts';

const journey = startOwnJourney({ BILLING_MODE: 'sandbox' });

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
