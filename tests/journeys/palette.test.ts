import { describe, expect, it } from 'vitest';
import { arrive, hasFocus, startJourney } from '#tests/support/browser/journey.ts';
import { addEndpoint, visitWithSite } from '#tests/support/browser/visit-cdn.ts';

const journey = startJourney();

describe('the command palette', () => {
  it('reaches a page, a site and an action without a mouse', async () => {
    const { page, api, organizationId } = await journey().visitSignedIn();
    await api('POST', '/api/v1/sites', { json: { name: 'Lighthouse' } });
    await arrive(page, `/${organizationId}`);
    const search = page.getByRole('combobox', { name: 'Search and commands' });
    const open = async () => {
      await page.keyboard.press('Control+k');
      await expect.poll(() => search.count()).toBe(1);
      await expect.poll(() => hasFocus(search)).toBe(true);
    };
    await open();
    await page.keyboard.press('Escape');
    await search.waitFor({ state: 'hidden' });

    await open();
    await page.keyboard.type('creden');
    await page.getByRole('dialog').getByText('Credentials', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'API credentials' }).waitFor();

    await open();
    await page.keyboard.type('lighth');
    await page.getByRole('dialog').getByText('Lighthouse', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Lighthouse.sites.localhost' }).waitFor();

    await open();
    await page.keyboard.type('create site');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Create site' }).waitFor();
    await page.keyboard.press('Escape');

    await open();
    await page.keyboard.type('no such thing');
    await page.getByText('Nothing matches.').waitFor();
    for (const [synonym, name] of [
      ['signout', 'Sign out'],
      ['spending limit', 'Billing'],
      ['passkey', 'Profile'],
      ['invite', 'New organization'],
    ] as const) {
      await search.fill(synonym);
      await expect.poll(() => page.getByRole('option').allInnerTexts()).toEqual([name]);
    }
  });

  /** Types a query into the palette while the sites, among them one of this name, have not arrived. */
  async function typeBeforeSitesArrive(site: string, query: string) {
    const { page, api, organizationId } = await journey().visitSignedIn();
    await api('POST', '/api/v1/sites', { json: { name: site } });
    await arrive(page, `/${organizationId}/settings`);
    const arrived = Promise.withResolvers<void>();
    await page.route(/\/api\/trpc\/.*sites\.list/, async (route) => {
      await arrived.promise;
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search and commands' }).pressSequentially(query, { delay: 20 });
    const highlighted = page.getByRole('option', { selected: true });
    return { page, highlighted, letArrive: arrived.resolve };
  }

  it('keeps the highlight on what Enter would take while results arrive', async () => {
    const { page, highlighted, letArrive } = await typeBeforeSitesArrive('Cred', 'cred');
    await expect.poll(() => highlighted.innerText()).toBe('Credentials');
    letArrive();
    await page.getByRole('option', { name: /^Cred\s*cred\.sites/ }).waitFor();
    expect(await highlighted.innerText()).toBe('Credentials');
  });

  it('moves the highlight from something similar to what was typed once that arrives', async () => {
    const { highlighted, letArrive } = await typeBeforeSitesArrive('Usege', 'usege');
    await expect.poll(() => highlighted.innerText()).toBe('Usage');
    letArrive();
    await expect.poll(() => highlighted.innerText()).toMatch(/^Usege\s/);
  });

  it('finds endpoints by hostname and by what they lead to', async () => {
    const visitor = await visitWithSite(journey());
    const { page, mark, organizationId } = visitor;
    const hostname = `found-${mark}.localhost`;
    await addEndpoint(visitor, {
      hostname,
      origin_type: 'redirect',
      redirect_target: 'https://lighthouse.example',
    });
    await arrive(page, `/${organizationId}`);
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Search and commands' });
    await palette.getByRole('combobox').fill('lighthouse');
    await palette.getByText(hostname, { exact: true }).click();
    await page.getByRole('heading', { level: 1, name: hostname }).waitFor();
  });

  it('leads to what deletes, renames and downloads, by the words for it in both languages', async () => {
    const visitor = await visitWithSite(journey(), { locale: 'fr-CA' });
    const { page, mark, site, siteId, organizationId } = visitor;
    const hostname = `gone-${mark}.localhost`;
    await addEndpoint(visitor, { hostname, origin_type: 'site', site_id: siteId });
    await arrive(page, `/${organizationId}/cdn`);
    const palette = page.getByRole('dialog', { name: 'Recherche et commandes' });
    const find = async (words: string) => {
      await page.keyboard.press('Control+k');
      await palette.getByRole('combobox').fill(words);
    };
    for (const [words, entry] of [
      ['télécharger', 'Télécharger l’utilisation au format CSV'],
      ['renommer', 'Modifier votre nom ou votre adresse courriel'],
      ['supprimer identifiant', 'Supprimer un identifiant'],
    ] as const) {
      await find(words);
      await palette.getByRole('option', { name: entry }).waitFor();
      await page.keyboard.press('Escape');
    }
    await find(`supprimer ${site}`);
    await palette.getByRole('option', { name: `Supprimer ${site}` }).click();
    // Its endpoints go first.
    await page.getByRole('alert').getByText('Impossible de supprimer un site', { exact: false }).waitFor();
    await find(`effacer ${hostname}`);
    await page.keyboard.press('Enter');
    const question = page.getByRole('dialog', { name: hostname });
    await question.getByRole('button', { name: 'Annuler' }).click();
    expect(new URL(page.url()).pathname).toMatch(/\/endpoints\/\w+$/);
  });
});
