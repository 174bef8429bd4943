import type { Route } from 'playwright';
import { describe, expect, it, onTestFinished } from 'vitest';
import { installClock } from '#tests/support/browser/browser-windows.ts';
import { createSite } from '#tests/support/browser/create-site.ts';
import { arrive, expectAccessible, startJourney } from '#tests/support/browser/journey.ts';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';

const journey = startJourney();
const CALLS = '**/api/trpc/**';
const provoked = /TRPCClientError|Failed to fetch|is not valid JSON|css cannot be loaded/;

describe('when the server is down', () => {
  it.each(['sites', 'settings'])(
    '%s says so soon and recovers automatically once it is back',
    async (path) => {
      const { page, organizationId } = await journey().visitSignedIn({ provoked });
      await arrive(page, `/${organizationId}`);
      let isDown = true;
      await page.route(CALLS, (route) => (isDown ? route.abort() : route.continue()));
      await page.evaluate((to) => window.history.pushState({}, '', to), `/${organizationId}/${path}`);
      await page.getByRole('alert').getByText('The server cannot be reached.').waitFor({ timeout: 4000 });
      isDown = false;
      await page.getByRole('alert').waitFor({ state: 'hidden', timeout: 15_000 });
    },
  );

  it('a response that is not ours is not mistaken for a lost connection', async () => {
    const { page, organizationId } = await journey().visitSignedIn({ provoked });
    await arrive(page, `/${organizationId}`);
    await page.route(CALLS, (route) => route.fulfill({ status: 500, body: 'oops' }));
    await page.evaluate((to) => window.history.pushState({}, '', to), `/${organizationId}/sites`);
    await page.getByRole('alert').getByText('Error: oops').waitFor();
  });

  it('nothing that is pressed takes the page away, and what was pressed works once it is back', async () => {
    const visitor = await journey().visitSignedIn({ provoked });
    const { page, organizationId, api } = visitor;
    await api('POST', '/api/v1/credentials', { json: { name: 'Nightly', scopes: [] } });
    await createSite(visitor, 'Landing');
    await arrive(page, `/${organizationId}/credentials`);
    let isDown = true;
    await page.route('**/*', (route) => (isDown ? route.abort() : route.continue()));
    const remove = page.getByRole('button', { name: 'Delete Nightly' });
    await remove.click();
    await page.mouse.move(0, 0);
    await page.getByRole('alert').getByText('The server cannot be reached.', { exact: false }).waitFor();
    await page.getByRole('heading', { level: 1, name: 'API credentials' }).waitFor();
    await expectAccessible(page);
    const navigation = page.getByRole('navigation', { name: 'Main navigation' });
    await navigation.getByRole('link', { name: 'Sites' }).click();
    await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor();
    isDown = false;
    const picture = page
      .getByRole('row', { name: /Landing/ })
      .locator('a')
      .first();
    await picture.waitFor({ timeout: 15_000 });
    // The page has its styles, although they could not be loaded at first.
    expect(await picture.evaluate((element) => getComputedStyle(element).textDecorationLine)).toBe('none');
    await navigation.getByRole('link', { name: 'Credentials' }).click();
    await remove.click();
    await page.getByRole('dialog', { name: 'Delete Nightly?' }).waitFor();
  });

  it('a browser without a connection says so, keeps what it has read, and reads it again afterwards', async () => {
    const visitor = await journey().visitSignedIn({ provoked });
    const { page, context, organizationId } = visitor;
    await createSite(visitor, 'Jetty');
    await arrive(page, `/${organizationId}/sites`);
    // What says so must be there before the connection is lost.
    await page.waitForFunction(() =>
      [...document.styleSheets]
        .flatMap(({ cssRules }) => [...cssRules])
        .some(({ cssText }) => /^\._notice_\w+ \{.*pointer-events: none/.test(cssText)),
    );
    await page.waitForLoadState('networkidle');
    onTestFinished(() => context.setOffline(false));
    await context.setOffline(true);
    const notice = page.getByRole('status').getByText('The server cannot be reached. What you see may be');
    await notice.waitFor();
    await expectAccessible(page);
    await createSite(visitor, 'Pier');
    let failures = 0;
    // Alone or among others that are read again.
    await page.route(/\/api\/trpc\/[^?]*sites\.list/, (route) => {
      failures += 1;
      return failures > 2 ? route.continue() : route.abort();
    });
    await context.setOffline(false);
    await notice.waitFor({ state: 'hidden' });
    await expect.poll(() => failures).toBe(2);
    await page.getByRole('link', { name: 'Jetty' }).first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByRole('link', { name: 'Pier' }).first().waitFor({ timeout: 15_000 });
  });

  it('a part that could not be loaded is there when it is asked for once more', async () => {
    const { page, organizationId } = await journey().visitSignedIn({ provoked });
    await arrive(page, `/${organizationId}/storage`);
    let isDown = true;
    await page.route('**/*', (route) => (isDown ? route.abort() : route.continue()));
    const create = page.getByRole('button', { name: 'Create bucket' });
    const dialog = page.getByRole('dialog', { name: 'Create bucket' });
    await create.click();
    await dialog.getByRole('alert').getByText('The server cannot be reached.', { exact: false }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    const isBack = page.waitForResponse('**/healthz');
    isDown = false;
    await isBack;
    await create.click();
    await dialog.getByLabel('Name').waitFor();
  });

  it('a part that is never answered says so instead of leaving its dialog empty, and comes later', async () => {
    const { page, organizationId } = await journey().visitSignedIn({ provoked });
    await installClock(page);
    await arrive(page, `/${organizationId}/storage`);
    const held: Route[] = [];
    let isSilent = true;
    await page.route('**/assets/*.js', async (route) => {
      if (isSilent) held.push(route);
      else await route.continue();
    });
    await page.getByRole('button', { name: 'Create bucket' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create bucket' });
    await dialog.waitFor();
    await page.clock.fastForward(61_000);
    await dialog.getByRole('alert').getByText('The server cannot be reached.', { exact: false }).waitFor();
    isSilent = false;
    for (const route of held) await route.abort();
    await dialog.getByLabel('Name').waitFor({ timeout: 15_000 });
  });

  it('a search says that it is not complete, and no failure is left without its place', async () => {
    const { page, organizationId } = await journey().visitSignedIn({
      provoked: /^TRPCClientError.*not valid JSON/,
    });
    const uncaught: string[] = [];
    page.on('pageerror', (error) => uncaught.push(String(error)));
    await arrive(page, `/${organizationId}/settings`);
    await page.route(CALLS, (route) => route.fulfill({ status: 502, body: '<html>Bad gateway</html>' }));
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search and commands' }).fill('landing');
    await page.getByRole('status').getByText('Not everything could be searched.', { exact: false }).waitFor();
    await page.keyboard.press('Escape');
    const navigation = page.getByRole('navigation', { name: 'Main navigation' });
    await navigation.getByRole('link', { name: 'Credentials' }).click();
    await page.getByRole('alert').getByText('The credentials could not be loaded.').waitFor();
    expect(uncaught).toEqual([]);
  });

  it('a deploy that could not even start keeps the folder and continues', async () => {
    const visitor = await journey().visitSignedIn({ provoked });
    const { page, organizationId } = visitor;
    await arrive(page, `/${organizationId}/sites/${await createSite(visitor, 'Away')}`);
    let isDown = true;
    await page.route('**/api/**', (route) => (isDown ? route.abort() : route.continue()));
    const folder = await makeTemporaryFolder({ 'index.html': 'kept' });
    await page.getByLabel('Folder', { exact: true }).setInputFiles(folder);
    await page.getByRole('alert').getByText('The server could not be reached').waitFor();
    isDown = false;
    await page.getByRole('heading', { name: 'Live', exact: true }).waitFor();
  });
});
