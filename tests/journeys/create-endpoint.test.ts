import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { installClock } from '#tests/support/browser/browser-windows.ts';
import { arrive, hasFocus, startJourney, tabTo } from '#tests/support/browser/journey.ts';
import { addEndpoint, visitWithSite } from '#tests/support/browser/visit-cdn.ts';
import { listOf } from '#tests/support/client/rest-client.ts';

const journey = startJourney();

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Add endpoint' });
const rowOf = (page: Page, hostname: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name: hostname, exact: true }) });
const addressOf = (page: Page) => {
  const { pathname, search, hash } = new URL(page.url());
  return `${pathname}${search}${hash}`;
};
const historyLength = (page: Page) => page.evaluate(() => window.history.length);

describe('adding an endpoint', () => {
  it('in front of a site starts at the empty list and leads to its page', async () => {
    const { page, api, cdn, mark, site, organizationId, siteId } = await visitWithSite(journey());
    const hostname = `shop-${mark}.localhost`;
    await installClock(page);
    await arrive(page, cdn);
    await page.getByRole('heading', { name: 'No CDN endpoints yet' }).waitFor();
    await page.getByText(/^Create your first endpoint/).waitFor();
    await page.getByRole('button', { name: 'Add endpoint' }).last().click();
    await page.waitForURL(`**${cdn}?create=true`);
    const form = dialogOf(page);
    await expect.poll(() => hasFocus(form.getByLabel('Hostname'))).toBe(true);
    await form.getByLabel('Hostname').fill(`https://SHOP-${mark}.localhost/`);
    await form.getByText(`The hostname is ${hostname}`).waitFor();
    await form.getByRole('combobox', { name: 'Site' }).click();
    await page.getByRole('option', { name: site }).click();
    await form.getByRole('button', { name: 'Add endpoint' }).click();
    await page.waitForURL(`**/${organizationId}/endpoints/*`);
    await page.getByRole('heading', { level: 1, name: hostname }).waitFor();
    const navigation = page.getByRole('navigation', { name: 'Main navigation' });
    expect(await navigation.locator('[aria-current=page]').allTextContents()).toEqual(['CDN']);

    await page.goBack();
    await page.waitForURL(`**${cdn}`);
    expect(await form.count()).toBe(0);
    const row = rowOf(page, hostname);
    await row.getByText('Live', { exact: true }).waitFor();
    expect(await page.getByRole('columnheader').allTextContents()).toEqual([
      'Hostname',
      'Origin',
      'Status',
      'Certificate',
      'Updated',
      'Actions',
    ]);
    expect(await row.getByRole('time').getAttribute('title')).toMatch(/ UTC$/);
    expect(await row.getByRole('link', { name: site }).getAttribute('href')).toBe(
      `/${organizationId}/sites/${siteId}`,
    );
    // Names of this machine get their certificate from the local authority automatically.
    const issuedAt = async () => {
      const [endpoint] = listOf(await api('GET', '/api/v1/cdn/endpoints'));
      return endpoint?.bundle && typeof endpoint.bundle === 'object' && 'issued_at' in endpoint.bundle
        ? endpoint.bundle.issued_at
        : null;
    };
    await expect.poll(issuedAt, { timeout: 30_000 }).not.toBeNull();
    await page.clock.fastForward(16_000);
    await row.getByText(/^Valid until /).waitFor();
    await row.getByRole('link', { name: hostname }).click();
    await page.getByRole('heading', { level: 1, name: hostname }).waitFor();
  });

  it('as a redirect shows problems next to each field, then leads to its page', async () => {
    const other = await visitWithSite(journey());
    const taken = `taken-${other.mark}.localhost`;
    await addEndpoint(other, { hostname: taken, site_id: other.siteId });
    const { page, cdn, mark, organizationId } = await visitWithSite(journey());
    await arrive(page, `${cdn}?create=true`);
    const form = dialogOf(page);
    const hostname = form.getByLabel('Hostname');
    const submit = form.getByRole('button', { name: 'Add endpoint' });
    const wrong = (field: typeof hostname, words: string) =>
      expect
        .poll(async () => ((await field.getAttribute('aria-invalid')) ? form.getByText(words).count() : 0))
        .toBe(1);
    await submit.click();
    await wrong(hostname, 'Enter a hostname.');
    await wrong(form.getByRole('combobox', { name: 'Site' }), 'Choose a site.');
    await expect.poll(() => hasFocus(hostname)).toBe(true);

    const http = form.getByRole('radio', { name: /^HTTP server/ });
    await http.getByText('coming soon').waitFor();
    expect(await http.isDisabled()).toBe(true);
    await form.getByRole('radio', { name: /^Redirect/ }).click();
    const target = form.getByLabel('Redirect to');
    await form.getByText(/It must include the host, as in https:\/\/blog\.sites\.localhost/).waitFor();
    await hostname.fill(taken);
    await submit.click();
    await wrong(target, 'Enter the address to redirect to.');
    await target.fill('/news');
    await submit.click();
    await wrong(target, 'Begin the address with https:// or http://.');
    await target.fill('https://www.harbour.example/news');
    await submit.click();
    await wrong(hostname, `The hostname ${taken} is in use by another endpoint.`);
    await hostname.fill('co.uk');
    await submit.click();
    await wrong(hostname, 'Anyone can register names under this one.');
    await hostname.fill('blog.sites.localhost');
    await submit.click();
    await wrong(hostname, 'The hostname blog.sites.localhost belongs to this installation.');

    const own = `old-${mark}.localhost`;
    await hostname.fill(own);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/${organizationId}/endpoints/*`);
    await page.getByRole('heading', { level: 1, name: own }).waitFor();
    await arrive(page, cdn);
    await rowOf(page, own).getByText('Redirect to www.harbour.example/news').waitFor();
  });

  it('opens with the address, needs no mouse, and leaves no history entry when closed', async () => {
    const { page, cdn, mark, site, siteId, organizationId } = await visitWithSite(journey());
    await arrive(page, cdn);
    await page.goto(`${cdn}?create=true&site=${siteId}`);
    const form = dialogOf(page);
    await expect.poll(() => form.getByRole('combobox', { name: 'Site' }).inputValue()).toBe(site);
    const entries = await historyLength(page);
    await page.keyboard.press('Escape');
    await expect.poll(() => form.count()).toBe(0);
    expect(addressOf(page)).toBe(cdn);
    expect(await historyLength(page)).toBe(entries);

    const open = page.getByRole('button', { name: 'Add endpoint' }).first();
    await tabTo(page, open);
    await page.keyboard.press('Enter');
    await expect.poll(() => hasFocus(form.getByLabel('Hostname'))).toBe(true);
    await page.keyboard.type(`keys-${mark}.localhost`);
    await tabTo(page, form.getByRole('radio', { name: /^Site/ }));
    await page.keyboard.press('ArrowDown');
    await tabTo(page, form.getByLabel('Redirect to'));
    await page.keyboard.type('https://www.harbour.example');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/${organizationId}/endpoints/*`);
  });

  it('starts from a site’s page with that site, and from the palette', async () => {
    const { page, organizationId, site, siteId } = await visitWithSite(journey());
    await arrive(page, `/${organizationId}/sites/${siteId}`);
    await page.getByRole('link', { name: 'Add a hostname' }).click();
    const chosen = dialogOf(page).getByRole('combobox', { name: 'Site' });
    await expect.poll(() => chosen.inputValue()).toBe(site);
    await arrive(page, `/${organizationId}`);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search and commands' }).fill('hostname');
    await page.keyboard.press('Enter');
    await dialogOf(page).waitFor();
    expect(await chosen.inputValue()).toBe('');
  });

  it('leads to /onboarding when billing is not set up, and shows every other failure inline', async () => {
    const { page, cdn, mark, siteId, organizationId } = await visitWithSite(journey());
    await arrive(page, `${cdn}?create=true&site=${siteId}`);
    const form = dialogOf(page);
    await form.getByLabel('Hostname').fill(`unpaid-${mark}.localhost`);
    const submit = form.getByRole('button', { name: 'Add endpoint' });
    const calls = '**/api/trpc/cdn.create*';
    await page.route(calls, (route) => route.abort(), { times: 2 });
    await submit.click();
    await form.getByRole('alert').getByText('Error: The server cannot be reached.').waitFor();
    const refusal = { code: 'billing_required', message: '', params: {}, fields: [], request_id: null };
    const error = { message: '', code: -32_600, data: { httpStatus: 402, error: refusal } };
    await page.route(calls, (route) => route.fulfill({ status: 402, json: [{ error: { json: error } }] }));
    await submit.click();
    // It redirects to the dashboard when there is nothing to set up.
    await page.waitForURL(`**/${organizationId}`);
  });

  it('tells a person without a site where to create one', async () => {
    const { page, organizationId } = await journey().visitSignedIn();
    await arrive(page, `/${organizationId}/cdn?create=true`);
    await dialogOf(page).getByText('There are no sites yet.').waitFor();
    await dialogOf(page).getByRole('link', { name: 'Create a site' }).click();
    await page.getByRole('dialog', { name: 'Create site' }).waitFor();
  });
});
