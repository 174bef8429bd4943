import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { arrive, startJourney } from '#tests/support/browser/journey.ts';
import { makeOrganization } from '#tests/support/browser/organizations.ts';
import { objectOf } from '#tests/support/client/rest-client.ts';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';

const journey = startJourney();

/** Returns the name of what has the focus. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const { activeElement: element } = document;
    if (element === null || element === document.body) return 'nothing';
    return element.getAttribute('aria-label') ?? element.textContent ?? '';
  });
const expectFocus = (page: Page, name: string | RegExp) =>
  expect.poll(() => focused(page)).toMatch(typeof name === 'string' ? new RegExp(`^${name}$`) : name);
const announced = (page: Page) => page.locator('[data-page-announcer]').textContent();

describe('the focus', () => {
  it('moves to the new page after a row was followed, and back to the row after Back; pages are announced', async () => {
    const { page, api, organizationId } = await journey().visitSignedIn();
    await api('POST', '/api/v1/sites', { json: { name: 'Followed' } });
    await arrive(page, `/${organizationId}/sites`);
    await page.getByRole('link', { name: 'Followed', exact: true }).focus();
    await page.keyboard.press('Enter');
    await expectFocus(page, /^Followed\.sites/);
    await expect.poll(() => announced(page)).toBe('Followed Settings');
    await page.goBack();
    await expectFocus(page, 'Followed');
    await expect.poll(() => announced(page)).toBe('Sites');
  });

  it('is where work continues after a site is created, a question is closed, and the site deleted', async () => {
    const { page, organizationId } = await journey().visitSignedIn();
    await arrive(page, `/${organizationId}/sites?create=true`);
    await page.getByLabel('Site name').fill('Fleeting');
    await page.keyboard.press('Enter');
    await expectFocus(page, /^Fleeting\.sites/);
    const ask = async () => {
      await page.getByRole('button', { name: 'More actions' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: 'Delete site' }).focus();
      await page.keyboard.press('Enter');
      await expectFocus(page, 'Cancel');
    };
    await ask();
    await page.keyboard.press('Escape');
    await expectFocus(page, 'More actions');
    await ask();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete site' }).focus();
    await page.keyboard.press('Enter');
    await expectFocus(page, 'Sites');
    await page.goBack();
    await page.getByRole('heading', { name: 'Fleeting was deleted' }).waitFor();
  });

  it('follows a deploy to its end and back to where the next one starts, seen below the top bar at 200 %', async () => {
    const viewport = { width: 640, height: 400 };
    const { page, api, organizationId } = await journey().visitSignedIn({ viewport });
    const site = objectOf(await api('POST', '/api/v1/sites', { json: { name: 'Deployed' } }));
    await arrive(page, `/${organizationId}/sites/${site.id}`);
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose folder' }).focus();
    await page.keyboard.press('Enter');
    await (await chooser).setFiles(await makeTemporaryFolder({ 'index.html': 'here' }));
    await expectFocus(page, 'Live');
    const top = async () => (await page.getByRole('heading', { name: 'Live', exact: true }).boundingBox())?.y;
    const bar = await page.getByRole('banner').boundingBox();
    await expect.poll(top).toBeGreaterThan(bar?.height ?? 0);
    await page.getByRole('button', { name: 'Dismiss' }).focus();
    await page.keyboard.press('Enter');
    await expectFocus(page, 'Deploy files');
  });

  it('moves to the part of the page that a link on it leads to, when the link is gone', async () => {
    const owner = await journey().visitSignedIn();
    const { path } = await makeOrganization(owner, { name: 'Ferries of the lake', handle: 'lake-ferries' });
    const { page } = owner;
    await arrive(page, `${path}?tab=members`);
    await page.getByRole('link', { name: 'Invite people' }).focus();
    await page.keyboard.press('Enter');
    await expectFocus(page, 'Invite people');
  });

  it('returns to its previous place after the palette is closed, even the first time', async () => {
    const { page, organizationId } = await journey().visitSignedIn();
    await arrive(page, `/${organizationId}/sites`);
    await page.getByRole('navigation').getByRole('link', { name: 'CDN' }).focus();
    for (const _ of ['first', 'second']) {
      await page.keyboard.press('Control+k');
      await expectFocus(page, 'Search and commands');
      await page.keyboard.press('Escape');
      await expectFocus(page, 'CDN');
    }
  });

  it('moves to the credential after the deleted one', async () => {
    const { page, api, organizationId } = await journey().visitSignedIn();
    for (const name of ['first', 'second']) await api('POST', '/api/v1/credentials', { json: { name } });
    await arrive(page, `/${organizationId}/credentials`);
    const cards = page.getByRole('article');
    const names = await cards.evaluateAll((found) => found.map((card) => card.getAttribute('aria-label')));
    await cards
      .first()
      .getByRole('button', { name: /^Delete/ })
      .focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete credential' }).click();
    await expectFocus(page, new RegExp(String(names[1])));
  });

  it('starts at the chosen origin when it is changed, with nothing unfolded, and returns', async () => {
    const { page, api, organizationId } = await journey().visitSignedIn();
    const site = objectOf(await api('POST', '/api/v1/sites', { json: { name: 'Origin' } }));
    const json = { hostname: 'origin.localhost' };
    const { id } = objectOf(await api('POST', `/api/v1/sites/${site.id}/endpoints`, { json }));
    await arrive(page, `/${organizationId}/endpoints/${id}`);
    await page.getByRole('button', { name: 'Change origin' }).focus();
    await page.keyboard.press('Enter');
    await expectFocus(page, /^Site/);
    expect(await page.getByRole('listbox').count()).toBe(0);
    await page.keyboard.press('Escape');
    await expectFocus(page, 'Change origin');
  });
});
