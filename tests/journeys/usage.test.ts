import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { formatBytes } from '#app/i18n/formats/format-bytes.ts';
import {
  arrive,
  DESKTOP,
  expectAccessible,
  expectFitsPhone,
  expectNothingCut,
  hasFocus,
  PHONE,
  startJourney,
  TABLET,
  tabTo,
} from '#tests/support/browser/journey.ts';
import { refuseProcedures } from '#tests/support/browser/refuse-procedures.ts';
import { waitUntilAlive } from '#tests/support/browser/wait-until-alive.ts';
import { requireStatus } from '#tests/support/client/deploy-client.ts';
import { insertOrganization } from '#tests/support/server/server-database.ts';
import { insertPastUsage } from '#tests/support/usage/server-usage.ts';
import { cellsOf, dayBefore, figure, usageRows, visitWithPast, visitWithTraffic } from './visit-usage.ts';

/** No certificate is issued: plain http is served directly. */
const journey = startJourney();

const addressOf = (page: Page) => `${new URL(page.url()).pathname}${new URL(page.url()).search}`;

describe('billing and usage', () => {
  it('show exactly what the edge sent, by endpoint and site, in both languages', async () => {
    const visitor = await visitWithTraffic(journey());
    const { page, organizationId, overview, own, moved, site, siteId, person, api } = visitor;
    const { summary, resources } = overview;
    const bytes = (locale: string) => formatBytes(summary.total_bytes_sent, locale);
    const base = `/${organizationId}`;
    await arrive(page, base);
    await page.getByRole('link', { name: 'Billing', exact: true }).click();
    await page.getByText('Track your usage, view invoices, and manage billing settings.').waitFor();
    await expect.poll(() => page.title()).toMatch(/^Billing · /);
    await page.getByRole('main').getByText(person.account.full_name, { exact: true }).waitFor();
    await expect.poll(() => figure(page, 'Bandwidth used').innerText()).toBe(bytes('en-CA'));
    expect(await figure(page, 'Total requests').innerText()).toBe('7');
    expect(await figure(page, 'Active sites').innerText()).toBe('1');

    const ofRow = (name: string) => resources.find((row) => row.name === name);
    const sent = (name: string) => formatBytes(ofRow(name)?.total_bytes_sent ?? 0, 'en-CA');
    expect((await cellsOf(page, own.hostname)).slice(1, 3)).toEqual(['4', sent(own.hostname)]);
    expect((await cellsOf(page, own.hostname)).at(-1)).toBe('1');
    expect((await cellsOf(page, moved.hostname)).slice(1, 3)).toEqual(['1', sent(moved.hostname)]);
    expect((await cellsOf(page, site)).slice(1, 3)).toEqual(['2', sent(site)]);
    const hrefOf = (name: string) => page.getByRole('link', { name, exact: true }).getAttribute('href');
    expect(await hrefOf(own.hostname)).toBe(`${base}/endpoints/${own.id}`);
    expect(await hrefOf(site)).toBe(`${base}/sites/${siteId}`);
    await expectAccessible(page);
    await expectFitsPhone(page);

    // Deleted resources keep their names and numbers.
    requireStatus(await api('DELETE', `/api/v1/cdn/endpoints/${moved.id}`), 204);
    await page.getByRole('link', { name: 'Charts, files and CSV' }).click();
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
    await page.reload();
    await waitUntilAlive(page);
    await expect.poll(() => page.title()).toMatch(/^Usage · /);
    const gone = usageRows(page).filter({ hasText: moved.hostname });
    await gone.getByText('deleted', { exact: true }).waitFor();
    expect(await gone.getByRole('link').count()).toBe(0);
    expect(await figure(page, 'Bandwidth used').innerText()).toBe(bytes('en-CA'));
    const current = page.getByRole('navigation', { name: 'Main navigation' }).locator('[aria-current]');
    expect(await current.allInnerTexts()).toEqual(['Billing']);

    const french = await journey().visitSignedIn({ person, locale: 'fr-CA' });
    await arrive(french.page, `${base}/billing`);
    await french.page.getByRole('heading', { level: 1, name: 'Facturation' }).waitFor();
    expect(await figure(french.page, 'Bande passante utilisée').innerText()).toBe(bytes('fr-CA'));
    await usageRows(french.page).getByText('supprimé', { exact: true }).waitFor();
    await french.page.getByRole('link', { name: 'Graphiques, fichiers et CSV' }).click();
    await french.page.getByRole('heading', { level: 1, name: 'Utilisation' }).waitFor();
    expect(await figure(french.page, 'Total des requêtes').innerText()).toBe('7');
  });

  it('may be of one site or endpoint, including deleted ones, and of nothing that never existed', async () => {
    const visitor = await visitWithTraffic(journey());
    const { page, organizationId, own, moved, site, siteId, person, api } = visitor;
    const path = `/${organizationId}/usage`;
    const requests = figure(page, 'Total requests');
    const filters = page.getByRole('list', { name: 'Filters' });
    await arrive(page, `/${organizationId}/sites/${siteId}`);
    await page.getByRole('link', { name: 'View all usage' }).click();
    await expect.poll(() => addressOf(page)).toBe(`${path}?site_id=${siteId}`);
    await expect.poll(() => requests.innerText()).toBe('6');
    expect(await filters.getByRole('listitem').innerText()).toMatch(new RegExp(`^Site\\s+${site}\\s`));
    expect(await usageRows(page).count()).toBe(2);
    // Including the text for an invalid range.
    await page.getByRole('textbox', { name: 'First day' }).fill('');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('alert').getByText('Choose the first day.').waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    await tabTo(page, filters.getByRole('link', { name: `Remove this filter: ${site}` }));
    await page.keyboard.press('Enter');
    await expect.poll(() => requests.innerText()).toBe('7');
    expect(await filters.count()).toBe(0);
    expect(addressOf(page)).toBe(path);
    expect(await hasFocus(page.getByRole('region', { name: 'Period and filters' }))).toBe(true);

    await arrive(page, `/${organizationId}/endpoints/${own.id}`);
    await page.getByRole('link', { name: 'Other periods and CSV' }).click();
    await expect.poll(() => requests.innerText()).toBe('4');
    await filters.getByText(own.hostname, { exact: true }).waitFor();

    requireStatus(await api('DELETE', `/api/v1/cdn/endpoints/${moved.id}`), 204);
    const french = await journey().visitSignedIn({ person, locale: 'fr-CA' });
    await arrive(french.page, `${path}?cdn_endpoint_id=${moved.id}`);
    expect(await figure(french.page, 'Total des requêtes').innerText()).toBe('1');
    const removal = `Retirer ce filtre\u00a0: ${moved.hostname}`;
    await french.page.getByRole('link', { name: removal }).waitFor();
    await arrive(page, `${path}?period=day&site_id=${moved.id}`);
    await page.getByRole('heading', { name: 'Not part of this organization' }).waitFor();
    await page.getByRole('link', { name: 'View all usage' }).click();
    await expect.poll(() => addressOf(page)).toBe(`${path}?period=day`);
    await expect.poll(() => requests.innerText()).toBe('7');
  });

  it('saves as CSV what is shown for a site, in this organization whatever the session’s default', async () => {
    const visitor = await visitWithTraffic(journey());
    const { page, organizationId, overview, siteId, person, api } = visitor;
    const { email } = person.account;
    const elsewhere = { name: 'Rivers', email, permission: 'owner' as const };
    const other = await insertOrganization(journey().server, elsewhere);
    await arrive(page, `/${organizationId}/usage?site_id=${siteId}`);
    await usageRows(page).first().waitFor();
    const context = { json: { organization_id: other } };
    requireStatus(await api('POST', '/api/v1/organization/context/set', context), 200);
    const button = page.getByRole('button', { name: 'Download CSV' });
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    const { start_date, end_date } = overview;
    expect(download.suggestedFilename()).toBe(`usage-${start_date}-${end_date}.csv`);
    const text = await readFile(await download.path(), 'utf8');
    const [head = [], ...lines] = text
      .trim()
      .split('\r\n')
      .map((line) => line.split(','));
    const saved = lines.map((line) => Object.fromEntries(head.map((name, at) => [name, line[at]])));
    const pick = (row: Record<string, unknown>) =>
      [row.name, row.total_requests, row.total_bytes_sent].map(String).join(' ');
    const ofSite = overview.resources.filter(({ site_id }) => site_id === siteId);
    expect(saved.map(pick).sort()).toEqual(ofSite.map(pick).sort());

    // Busy while in progress; failures are shown.
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/api/v1/usage/stats.csv*', async (route) => {
      await held;
      await route.abort();
    });
    await button.click();
    await expect.poll(() => button.isDisabled()).toBe(true);
    release();
    const words = 'The CSV could not be downloaded: The server cannot be reached.';
    await page.getByRole('alert').getByText(words).waitFor();
    expect(await button.isDisabled()).toBe(false);
  });
});

describe('the period', () => {
  it('is in the address: chosen, shared, returned to, and kept in another organization', async () => {
    const visitor = await visitWithPast(journey());
    const { page, organizationId, person, sumSince } = visitor;
    const { email } = person.account;
    const elsewhere = { name: 'Rivers', email, permission: 'owner' as const };
    const other = await insertOrganization(journey().server, elsewhere);
    const today = dayBefore(0);
    const monday = dayBefore((new Date(today).getUTCDay() + 6) % 7);
    const requests = figure(page, 'Total requests');
    const path = `/${organizationId}/billing`;
    await arrive(page, path);
    await expect.poll(() => requests.innerText()).toBe(sumSince(`${today.slice(0, 8)}01`));

    // The current numbers stay until the next arrive.
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/api/trpc/**', async (route) => {
      if (route.request().url().includes('usage.overview')) await held;
      await route.continue();
    });
    await page.getByRole('link', { name: 'This Week' }).click();
    await expect.poll(() => addressOf(page)).toBe(`${path}?period=week`);
    await page.locator('[aria-busy=true]').filter({ has: requests }).waitFor();
    expect(await requests.innerText()).toBe(sumSince(`${today.slice(0, 8)}01`));
    release();
    await expect.poll(() => requests.innerText()).toBe(sumSince(monday));
    expect(await page.getByRole('link', { name: 'This Week' }).getAttribute('aria-current')).toBe('page');
    expect(await page.getByRole('link', { name: 'This Month' }).getAttribute('aria-current')).toBeNull();

    await tabTo(page, page.getByRole('link', { name: 'Today' }));
    await page.keyboard.press('Enter');
    await expect.poll(() => requests.innerText()).toBe('1,000');
    await page.goBack();
    await expect.poll(() => requests.innerText()).toBe(sumSince(monday));

    await page.getByRole('link', { name: 'Charts, files and CSV' }).click();
    await expect.poll(() => addressOf(page)).toBe(`/${organizationId}/usage?period=week`);
    await waitUntilAlive(page);
    await page.getByRole('button', { name: 'Switch organization' }).click();
    await page.getByRole('button', { name: /^Rivers/ }).click();
    await expect.poll(() => addressOf(page)).toBe(`/${other}/usage?period=week`);
    await page.getByText('No traffic in this period').waitFor();
    expect(await figure(page, 'Total requests').innerText()).toBe('0');
  });

  it('may be any days, by the server’s rules', async () => {
    const { page, organizationId, sumSince } = await visitWithPast(journey());
    const path = `/${organizationId}/usage`;
    await arrive(page, path);
    const first = page.getByRole('textbox', { name: 'First day' });
    const last = page.getByRole('textbox', { name: 'Last day' });
    const requests = figure(page, 'Total requests');
    await expect.poll(() => first.inputValue()).toBe(`${dayBefore(0).slice(0, 8)}01`);
    // At a zoom of 200 % the two stay together.
    await page.setViewportSize({ width: 640, height: 400 });
    const [from, to] = await Promise.all([first.boundingBox(), last.boundingBox()]);
    expect(Number(to?.x) - Number(from?.x) - Number(from?.width)).toBeLessThan(40);
    await page.setViewportSize(DESKTOP);
    await first.fill(dayBefore(60));
    await last.fill(dayBefore(61));
    await last.press('Enter');
    await page.getByRole('alert').getByText('The last day must not be before the first.').waitFor();
    expect(addressOf(page)).toBe(path);
    await first.fill(dayBefore(400));
    await last.fill(dayBefore(0));
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('alert').getByText('Choose at most 400 days.').waitFor();

    await first.fill(dayBefore(60));
    await page.getByRole('button', { name: 'Apply' }).click();
    const days = `?start_date=${dayBefore(60)}&end_date=${dayBefore(0)}`;
    await expect.poll(() => addressOf(page)).toBe(path + days);
    await expect.poll(() => requests.innerText()).toBe(sumSince(dayBefore(60)));
    await page.reload();
    await waitUntilAlive(page);
    expect(await requests.innerText()).toBe(sumSince(dayBefore(60)));
    expect(await first.inputValue()).toBe(dayBefore(60));
    const periods = page.getByRole('navigation', { name: 'Period' });
    expect(await periods.locator('[aria-current]').count()).toBe(0);
    await page.getByRole('link', { name: 'Today' }).click();
    await expect.poll(() => requests.innerText()).toBe('1,000');
    await expect.poll(() => first.inputValue()).toBe(dayBefore(0));
    await page.goBack();
    await expect.poll(() => requests.innerText()).toBe(sumSince(dayBefore(60)));
  });
});

describe('the table of usage', () => {
  it('names everything whole, also where names differ only at their ends', async () => {
    const { page, organizationId } = await journey().visitSignedIn();
    const paths: [string, number, number][] = [[`/${'quays-and-'.repeat(20)}piers.jpg`, 4, 1536]];
    const hostname = `${'north-shore-'.repeat(5)}a.${'upstream-of-it-'.repeat(4)}b.example`;
    const past = { hostname, days: { [dayBefore(0)]: { requests: 5, bytes: 2048, paths } } };
    await insertPastUsage(journey().server, organizationId, [past]);
    await arrive(page, `/${organizationId}/usage`);
    await page.getByRole('table', { name: 'Top files' }).getByText('piers.jpg', { exact: false }).waitFor();
    await usageRows(page).getByText(hostname).waitFor();
    for (const size of [DESKTOP, TABLET, PHONE]) await expectNothingCut(page, size);
  });

  it('renders many on demand, finds any, and is sorted by any column without a mouse', async () => {
    const { page, organizationId } = await journey().visitSignedIn();
    const endpoints = Array.from({ length: 120 }, (_, at) => ({
      hostname: `n${String(at).padStart(3, '0')}.example`,
      days: { [dayBefore(0)]: { requests: 120 - at, bytes: (at + 1) * 1024, refused: at === 0 ? 3 : 0 } },
    }));
    await insertPastUsage(journey().server, organizationId, endpoints);
    const path = `/${organizationId}/billing`;
    await arrive(page, path);
    expect(await usageRows(page).count()).toBe(50);
    const names = () => usageRows(page).locator('th').allInnerTexts();
    expect((await names())[0]).toContain('n119.example');
    const header = (name: string) => page.getByRole('columnheader', { name });
    expect(await header('Bandwidth').getAttribute('aria-sort')).toBe('descending');
    await page
      .getByText('3 requests (3 B) were refused while a spending limit or a suspension stopped serving.', {
        exact: false,
      })
      .waitFor();

    await tabTo(page, page.getByRole('button', { name: 'Requests', exact: true }));
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await names())[0]).toContain('n000.example');
    expect(await header('Requests').getAttribute('aria-sort')).toBe('descending');
    expect(await header('Bandwidth').getAttribute('aria-sort')).toBeNull();
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await names())[0]).toContain('n119.example');
    expect(addressOf(page)).toBe(`${path}?sort=requests`);

    await expect
      .poll(async () => {
        await page.mouse.wheel(0, 20_000);
        return usageRows(page).count();
      })
      .toBe(120);
    const search = page.getByRole('searchbox', { name: 'Search endpoints and sites' });
    await search.fill('N07');
    await expect.poll(() => usageRows(page).count()).toBe(10);
    await expect.poll(() => addressOf(page)).toBe(`${path}?sort=requests&search=N07`);
    await search.fill('nowhere');
    await page.getByText('No endpoint or site matches “nowhere”.').waitFor();
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await expect.poll(() => usageRows(page).count()).toBe(50);
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    expect(await usageRows(page).count()).toBe(120);
  });
});

describe('usage that cannot be loaded', () => {
  it.each(['billing', 'usage'])('is reported on the page of %s, and loaded with Retry', async (name) => {
    const { page, organizationId } = await journey().visitSignedIn();
    const paths: [string, number, number][] = [['/harbour.jpg', 4, 1536]];
    const past = { hostname: 'past.example', days: { [dayBefore(0)]: { requests: 5, bytes: 2048, paths } } };
    await insertPastUsage(journey().server, organizationId, [past]);
    await arrive(page, `/${organizationId}/settings`);
    const refused = new Set(['usage.overview', 'usage.paths']);
    await refuseProcedures(page, refused);
    await page.getByRole('link', { name: 'Billing', exact: true }).click();
    if (name === 'usage') await page.getByRole('link', { name: 'Charts, files and CSV' }).click();
    await page.getByRole('heading', { level: 1, name: new RegExp(name, 'i') }).waitFor();
    await page.getByRole('alert').getByText('Failed to load usage statistics').waitFor();
    if (name === 'billing') await expectAccessible(page);
    else expect(await page.getByRole('button', { name: 'Download CSV' }).isDisabled()).toBe(true);
    await expectFitsPhone(page);
    await tabTo(page, page.getByRole('button', { name: 'Retry' }));
    refused.delete('usage.overview');
    await page.keyboard.press('Enter');
    await expect.poll(() => figure(page, 'Total requests').innerText()).toBe('5');
    await page.getByRole('alert').getByText('Failed to load usage').waitFor({ state: 'hidden' });
    // The button is gone, and the focus still where it was.
    await expect.poll(() => page.evaluate(() => document.activeElement === document.body)).toBe(false);
    if (name === 'billing') return;
    await page.getByRole('alert').getByText('Failed to load files').waitFor();
    refused.clear();
    await page.getByRole('button', { name: 'Retry' }).click();
    const file = page.getByRole('table', { name: 'Top files' }).getByRole('row', { name: '/harbour.jpg' });
    await expect.poll(() => file.getByRole('cell').allInnerTexts()).toEqual(['4', '1.50\u00a0KB', '75%']);
  });

  it('can be tried again while the page looks again by itself', async () => {
    const { page, organizationId } = await journey().visitSignedIn();
    await arrive(page, `/${organizationId}/settings`);
    const refused = new Set(['usage.overview']);
    await refuseProcedures(page, refused);
    await page.getByRole('link', { name: 'Billing', exact: true }).click();
    const retry = page.getByRole('button', { name: 'Retry' });
    await retry.waitFor();
    let asked = 0;
    await page.route(/usage\.overview/, () => {
      asked += 1;
    });
    // A link is loaded ahead when it has the focus: this one leads to the same figures.
    await page.getByRole('link', { name: 'This Month' }).focus();
    await expect.poll(() => asked).toBe(1);
    expect(await retry.isEnabled()).toBe(true);
    await page.unroute(/usage\.overview/);
    refused.clear();
    await retry.click();
    await retry.waitFor({ state: 'hidden' });
  });
});
