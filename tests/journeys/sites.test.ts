import type { Locator, Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import {
  arrive,
  hasFocus,
  PHONE,
  type SignedInVisitor,
  startJourney,
  tabTo,
} from '#tests/support/browser/journey.ts';
import { refuseProcedures } from '#tests/support/browser/refuse-procedures.ts';
import { objectOf } from '#tests/support/client/rest-client.ts';
import { insertEndpoint } from '#tests/support/server/server-database.ts';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';

const journey = startJourney();

/** Creates a site over HTTP and returns its id. */
async function createSite(visitor: SignedInVisitor, name: string): Promise<string> {
  const response = await visitor.api('POST', '/api/v1/sites', { json: { name } });
  expect(response.status).toBe(201);
  return String(objectOf(response).id);
}

const siteHeading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

describe('creating a site', () => {
  it('starts at the empty list, shows the future address and leads to the site', async () => {
    const { page, organizationId } = await journey().visitSignedIn();
    await arrive(page, `/${organizationId}/sites`);
    await page.getByRole('heading', { name: 'No sites' }).waitFor();
    await page.getByRole('button', { name: 'Create site' }).first().click();
    const panel = page.getByRole('dialog', { name: 'Create site' });
    const create = panel.getByRole('button', { name: 'Create site' });
    await panel.getByLabel('Site name').fill('plain');
    await panel.getByText('It will be available at plain.sites.localhost').waitFor();
    expect(await panel.getByText(/An address can contain only/).count()).toBe(0);
    await panel.getByLabel('Site name').fill('My Blog!');
    await panel.getByText('It will be available at myblog.sites.localhost').waitFor();
    await panel
      .getByText('An address can contain only a-z, 0-9 and hyphens: the name becomes myblog.')
      .waitFor();
    await panel.getByLabel('Site name').fill("Régates de l'Île d'Orléans!");
    await panel.getByRole('button', { name: 'Use regates-de-lile-dorleans' }).click();
    await panel.getByText('It will be available at regates-de-lile-dorleans.sites.localhost').waitFor();
    await panel.getByLabel('Site name').fill('   ');
    expect(await create.isDisabled()).toBe(true);
    await panel.getByLabel('Site name').fill('My Blog!');
    await create.click();
    await siteHeading(page, 'My Blog!.sites.localhost').waitFor();
    await expect.poll(() => page.title()).toBe('My Blog! Settings · Portage');
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Sites' }).click();
    const row = page.getByRole('row', { name: /My Blog!/ });
    await row.getByText('static', { exact: true }).waitFor();
    await row.getByText('Not deployed yet').waitFor();
    await row.getByRole('link', { name: 'Settings of My Blog!' }).click();
    await siteHeading(page, 'My Blog!.sites.localhost').waitFor();
  });

  it('proposes a whole name, however long', async () => {
    const { page, organizationId } = await journey().visitSignedIn();
    await arrive(page, `/${organizationId}/sites`);
    await page.getByRole('button', { name: 'Create site' }).first().click();
    const panel = page.getByRole('dialog', { name: 'Create site' });
    await panel.getByLabel('Site name').fill(`Much too long ${'x'.repeat(70)}`);
    const edgeOf = (shown: Locator) => shown.evaluate((element) => element.getBoundingClientRect().right);
    const proposal = await edgeOf(panel.getByRole('button', { name: /^Use much-too-long/ }));
    expect(proposal).toBeLessThan(await edgeOf(panel.getByRole('note')));
  });

  it('shows the whole address on a phone, however long', async () => {
    const { page, organizationId } = await journey().visitSignedIn({ viewport: PHONE });
    await arrive(page, `/${organizationId}/sites?create=true`);
    await page.getByLabel('Site name').fill('x'.repeat(70));
    const warning = page.getByRole('note').filter({ hasText: 'at most 63 characters' });
    await expect.poll(() => warning.evaluate((note) => note.scrollWidth - note.clientWidth)).toBe(0);
  });

  it('with a taken name offers one that is free', async () => {
    await createSite(await journey().visitSignedIn(), 'Portfolio');
    const { page, organizationId } = await journey().visitSignedIn();
    await arrive(page, `/${organizationId}/sites?create=true`);
    const panel = page.getByRole('dialog', { name: 'Create site' });
    await panel.getByLabel('Site name').fill('portfolio');
    await panel.getByRole('button', { name: 'Create site' }).click();
    await panel
      .getByRole('alert')
      .getByText('Error: The name portfolio is taken. Try portfolio-2.')
      .waitFor();
    await panel.getByRole('button', { name: 'Use portfolio-2' }).click();
    expect(await panel.getByLabel('Site name').inputValue()).toBe('portfolio-2');
    await panel.getByRole('button', { name: 'Create site' }).click();
    await siteHeading(page, 'portfolio-2.sites.localhost').waitFor();
  });

  it('needs no mouse', async () => {
    const { page, organizationId } = await journey().visitSignedIn();
    await arrive(page, `/${organizationId}/sites`);
    const open = page.getByRole('button', { name: 'Create site' }).first();
    await tabTo(page, open);
    await page.keyboard.press('Enter');
    const name = page.getByRole('dialog', { name: 'Create site' }).getByLabel('Site name');
    await expect.poll(() => hasFocus(name)).toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(() => hasFocus(open)).toBe(true);
    expect(new URL(page.url()).search).toBe('');
    await page.keyboard.press('Enter');
    await expect.poll(() => hasFocus(name)).toBe(true);
    await page.keyboard.type('by-keyboard');
    await page.keyboard.press('Enter');
    await siteHeading(page, 'by-keyboard.sites.localhost').waitFor();
  });
});

describe('a list of many sites', () => {
  it('is loaded page by page, and the search finds any of them', async () => {
    const visitor = await journey().visitSignedIn();
    const { page, organizationId } = visitor;
    const names = Array.from({ length: 120 }, (_, index) => `many-${String(index + 1).padStart(3, '0')}`);
    for (let from = 0; from < names.length; from += 10) {
      await Promise.all(names.slice(from, from + 10).map((name) => createSite(visitor, name)));
    }
    await arrive(page, `/${organizationId}/sites`);
    const rows = page.getByRole('row').filter({ hasText: 'static' });
    expect(await rows.count()).toBe(50);
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, 20_000);
        return rows.count();
      })
      .toBe(120);
    expect(await rows.last().getByRole('link').first().textContent()).toBe('many-120');

    const search = page.getByRole('searchbox', { name: 'Search sites' });
    await search.fill('MANY-07');
    await expect.poll(() => rows.count()).toBe(10);
    await page.waitForURL('**/sites?search=MANY-07');
    await arrive(page, page.url());
    await expect.poll(() => rows.count()).toBe(10);
    expect(await search.inputValue()).toBe('MANY-07');
    await search.fill('nowhere');
    await page.getByText('No site matches “nowhere”.').waitFor();
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await expect.poll(() => rows.count()).toBe(50);
  });

  it('keeps the search field, and the focus in it, when a search fails', async () => {
    const visitor = await journey().visitSignedIn();
    const { page, organizationId } = visitor;
    await createSite(visitor, 'slipway');
    await arrive(page, `/${organizationId}/sites`);
    const refused = new Set(['sites.list']);
    await refuseProcedures(page, refused);
    const search = page.getByRole('searchbox', { name: 'Search sites' });
    await search.fill('slip');
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    expect(await search.inputValue()).toBe('slip');
    expect(await hasFocus(search)).toBe(true);
    refused.clear();
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('link', { name: 'slipway', exact: true }).waitFor();
  });
});

describe('deleting a site', () => {
  it('asks first, stops serving immediately and can be undone', async () => {
    const visitor = await journey().visitSignedIn();
    const { page, organizationId } = visitor;
    const { server } = journey();
    const siteId = await createSite(visitor, 'Passing');
    await arrive(page, `/${organizationId}/sites/${siteId}`);
    const folder = await makeTemporaryFolder({ 'index.html': '<h1>passing</h1>' });
    await page.getByLabel('Folder', { exact: true }).setInputFiles(folder);
    await page.getByRole('heading', { name: 'Live', exact: true }).waitFor();
    const answer = async () => (await server.edge('passing.sites.localhost', '/')).text;
    await expect.poll(answer).toBe('<h1>passing</h1>');

    const askToDelete = async () => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete site' }).click();
    };
    await askToDelete();
    const question = page.getByRole('dialog', { name: 'Delete Passing?' });
    await question.getByText(/passing\.sites\.localhost\S* stops responding immediately/).waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'hidden' });
    expect(await answer()).toBe('<h1>passing</h1>');

    await askToDelete();
    await question.getByRole('button', { name: 'Delete site' }).click();
    await page.waitForURL(`**/${organizationId}/sites`);
    await page.getByText('Passing was deleted').waitFor();
    await page.getByRole('heading', { name: 'No sites' }).waitFor();
    await expect.poll(answer).not.toContain('passing</h1>');

    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Passing is back').waitFor();
    await page.getByRole('link', { name: 'Passing', exact: true }).waitFor();
    await expect.poll(answer).toBe('<h1>passing</h1>');
  });

  it('that fails says why, also when the response is not one of the console', async () => {
    const visitor = await journey().visitSignedIn();
    const { page, organizationId } = visitor;
    const siteId = await createSite(visitor, 'Lasting');
    await arrive(page, `/${organizationId}/sites/${siteId}`);
    const failWith = async (words: string) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete site' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete site' }).click();
      await page.getByRole('alert').getByText(words, { exact: true }).waitFor();
    };
    const calls = '**/api/trpc/*sites.delete*';
    const page502 = { status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' };
    await page.route(calls, (route) => route.fulfill(page502), { times: 1 });
    await failWith('Unknown error');
    await page.route(calls, (route) => route.abort(), { times: 1 });
    await failWith('The server cannot be reached. Check your connection and try again.');
    await siteHeading(page, 'Lasting.sites.localhost').waitFor();
  });

  it('is refused while CDN endpoints lead to it, which its page shows', async () => {
    const visitor = await journey().visitSignedIn();
    const { page, organizationId } = visitor;
    const siteId = await createSite(visitor, 'Anchored');
    await insertEndpoint(journey().server, { organizationId, siteId, hostname: 'www.anchored.example' });
    await arrive(page, `/${organizationId}/sites/${siteId}`);
    await page.getByRole('listitem').filter({ hasText: 'www.anchored.example' }).waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete site' }).click();
    await page
      .getByRole('alert')
      .getByText('Cannot delete site with active CDN endpoints. Please delete all CDN endpoints first.')
      .waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.reload();
    await siteHeading(page, 'Anchored.sites.localhost').waitFor();
  });

  it('leaves nothing at its address, like a site of another organization', async () => {
    const stranger = await journey().visitSignedIn();
    const foreign = await createSite(stranger, 'Foreign');
    const { page, organizationId } = await journey().visitSignedIn();
    for (const id of ['01jzzzzzzzzzzzzzzzzzzzzzzz', foreign]) {
      await arrive(page, `/${organizationId}/sites/${id}`);
      await page.getByRole('heading', { level: 1, name: 'Site not found' }).waitFor();
    }
    await page.getByRole('link', { name: 'Back to Sites' }).click();
    await page.getByRole('heading', { name: 'No sites' }).waitFor();
  });
});
