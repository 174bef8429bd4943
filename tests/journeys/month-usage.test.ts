import type { Locator, Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import {
  arrive,
  expectAccessible,
  expectFitsPhone,
  type SignedInVisitor,
  startJourney,
} from '#tests/support/browser/journey.ts';
import { refuseProcedures } from '#tests/support/browser/refuse-procedures.ts';
import { type CdnVisitor, visitWithSite } from '#tests/support/browser/visit-cdn.ts';
import { cardOf } from '#tests/support/browser/visit-endpoint.ts';
import { requireStatus } from '#tests/support/client/deploy-client.ts';
import { packZip } from '#tests/support/pack-zip.ts';
import { pollUntil } from '#tests/support/poll-until.ts';

const journey = startJourney();

/** The numbers of a card: each name with the text below it. */
async function figuresOf(card: Locator): Promise<Record<string, string>> {
  const names = await card.locator('dt').allInnerTexts();
  const values = await card.locator('dt + dd').allInnerTexts();
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
}

const usageCard = (page: Page) => cardOf(page, 'Usage this month');

async function deploy({ api, siteId }: CdnVisitor): Promise<void> {
  const options = {
    body: packZip({ 'index.html': '<h1>Harbour</h1>' }),
    headers: { 'content-type': 'application/zip' },
  };
  requireStatus(await api('POST', `/api/v1/sites/${siteId}/versions`, options), 201);
}

/** Requests the page from the edge eight times and a missing one twice, and waits until they are counted. */
async function visitTheSite(visitor: CdnVisitor): Promise<void> {
  const host = `harbour${visitor.mark}.sites.localhost`;
  const visits = [...Array<string>(8).fill('/'), '/nothing', '/nothing'];
  for (const path of visits) await journey().server.edge(host, path);
  await pollUntil(
    async () => {
      const response = await visitor.api('GET', '/api/v1/usage/stats?period=month');
      return Number(JSON.parse(response.text).summary.total_requests);
    },
    (requests) => requests === visits.length,
  );
}

describe('the month to date', () => {
  it('starts with the next step, then shows what the edge served on the dashboard and on the site’s page', async () => {
    const visitor = await visitWithSite(journey());
    const { page, organizationId, site, siteId } = visitor;
    await arrive(page, `/${organizationId}`);
    await usageCard(page).getByText('No requests yet.', { exact: false }).waitFor();
    expect(await usageCard(page).locator('dd').count()).toBe(0);
    expect(await page.getByRole('link', { name: /Deploy a site|Create a site/ }).count()).toBe(1);

    await deploy(visitor);
    await page.reload();
    await usageCard(page)
      .getByRole('link', { name: `Visit ${site} (opens in a new tab)` })
      .waitFor();
    await visitTheSite(visitor);
    await arrive(page, `/${organizationId}`);
    await usageCard(page).locator('dt').first().waitFor();
    expect(await figuresOf(usageCard(page))).toEqual({
      Bandwidth: expect.stringMatching(/^\d.*\u00a0(B|KB)$/),
      Requests: '10',
      'Cache hit rate': expect.stringMatching(/^\d+%$/),
      'Errors (4xx and 5xx)': '20%',
    });
    expect(await usageCard(page).locator('svg[aria-hidden] path').count()).toBeGreaterThan(0);
    await expectAccessible(page);
    await expectFitsPhone(page);

    await usageCard(page).getByRole('link', { name: site }).click();
    await page.waitForURL(`**/sites/${siteId}`);
    // The dashboard also has a card of that name, and disappears only when the site is there.
    await cardOf(page, 'CDN endpoints').waitFor();
    await expect.poll(() => figuresOf(usageCard(page))).toMatchObject({ Requests: '10' });
    await usageCard(page).getByRole('link', { name: 'View all usage' }).click();
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
  });

  it('speaks French, and fits a phone', async () => {
    const visitor = await visitWithSite(journey(), { locale: 'fr-CA' });
    const { page, organizationId, siteId } = visitor;
    const card = cardOf(page, 'Utilisation du mois');
    await arrive(page, `/${organizationId}`);
    await card.getByText('Aucune requête pour l’instant.', { exact: false }).waitFor();
    await deploy(visitor);
    await visitTheSite(visitor);
    await arrive(page, `/${organizationId}`);
    await card.locator('dt').first().waitFor();
    expect(await figuresOf(card)).toEqual({
      'Bande passante': expect.stringMatching(/^\d.*\u00a0(o|Ko)$/),
      Requêtes: '10',
      'Taux de succès du cache': expect.stringMatching(/^\d+\s%$/),
      'Erreurs (4xx et 5xx)': expect.stringMatching(/^20\s%$/),
    });
    await expectFitsPhone(page);
    await arrive(page, `/${organizationId}/sites/${siteId}`);
    await card.locator('dt').first().waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
  });

  it('that cannot be loaded says so and is retried, and the rest of the dashboard is usable', async () => {
    const visitor: SignedInVisitor = await journey().visitSignedIn();
    const { page, organizationId } = visitor;
    await arrive(page, `/${organizationId}/credentials`);
    const refused = new Set(['usage.overview']);
    await refuseProcedures(page, refused);
    await page
      .getByRole('navigation', { name: 'Main navigation' })
      .getByRole('link', { name: 'Dashboard' })
      .click();
    const alert = usageCard(page).getByRole('alert');
    await alert.getByText('Failed to load usage statistics').waitFor();
    await cardOf(page, 'Recent deploys')
      .getByText('Nothing has been deployed yet.', { exact: false })
      .waitFor();
    refused.clear();
    await alert.getByRole('button', { name: 'Retry' }).click();
    await usageCard(page).getByText('No requests yet.', { exact: false }).waitFor();
  });

  it('is one word away in the palette', async () => {
    const { page, organizationId } = await journey().visitSignedIn();
    await arrive(page, `/${organizationId}`);
    await page.keyboard.press('Control+k');
    const words = page.getByRole('combobox', { name: 'Search and commands' });
    await words.fill('usage week');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/${organizationId}/usage?period=week`);
    await page.keyboard.press('Control+k');
    await words.fill('billing');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/${organizationId}/billing`);
  });
});
