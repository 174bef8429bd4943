import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { installClock } from '#tests/support/browser/browser-windows.ts';
import { createSite } from '#tests/support/browser/create-site.ts';
import { arrive, expectAccessible, hasFocus, startJourney } from '#tests/support/browser/journey.ts';
import { signInAgain } from '#tests/support/browser/sign-in-again.ts';
import { waitUntilAlive } from '#tests/support/browser/wait-until-alive.ts';
import { listOf } from '#tests/support/client/rest-client.ts';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';

const journey = startJourney();
const provoked = /TRPCClientError|Failed to fetch|is not valid JSON|css cannot be loaded/;

/** Replaces the build under a page by another, until the page is loaded again; returns whether it was. */
async function updateUnder(page: Page): Promise<() => boolean> {
  let isReloaded = false;
  page.on('request', (request) => {
    if (request.isNavigationRequest()) isReloaded = true;
  });
  await page.route('**/assets/current-build', (route) =>
    isReloaded ? route.continue() : route.fulfill({ body: 'newer' }),
  );
  await page.route('**/assets/*.{js,css}', (route) =>
    isReloaded ? route.continue() : route.fulfill({ status: 404 }),
  );
  return () => isReloaded;
}

const draftsOf = (page: Page) =>
  page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith('draft ')));

describe('a creation whose response is lost', () => {
  it('is done once however often its button is pressed, and its secret is shown', async () => {
    const { page, organizationId, api } = await journey().visitSignedIn({ provoked });
    await arrive(page, `/${organizationId}/credentials?create=true`);
    let attempts = 0;
    await page.route('**/api/trpc/credentials.create*', async (route) => {
      attempts += 1;
      // The server has done it, and nobody hears of it.
      const response = await route.fetch();
      if (attempts < 3) await route.abort();
      else await route.fulfill({ response });
    });
    const dialog = page.getByRole('dialog', { name: 'Create credential' });
    await dialog.getByLabel('Name').fill('Nightly');
    await dialog.getByRole('combobox', { name: 'Expiration' }).click();
    await page.getByRole('option', { name: '90 days' }).click();
    await dialog.getByRole('button', { name: 'Create credential' }).click();
    await dialog.getByRole('alert').getByText('The server cannot be reached.', { exact: false }).waitFor();
    expect(attempts).toBe(2);
    await dialog.getByRole('button', { name: 'Create credential' }).click();
    await page.getByRole('button', { name: 'Copy secret key' }).waitFor();
    expect(listOf(await api('GET', '/api/v1/credentials'))).toMatchObject([{ name: 'Nightly' }]);
  });
});

describe('when the console was updated under an open page', () => {
  it.each([
    ['en-CA', 'The console was updated. Reload the page to continue.', 'Reload'],
    ['fr-CA', 'La console a été mise à jour. Rechargez la page pour continuer.', 'Recharger'],
  ] as const)(
    'it says so in %s, keeps what was typed and offers to reload',
    async (locale, words, reload) => {
      const { page, organizationId } = await journey().visitSignedIn({
        locale,
        provoked: /TRPCClientError|404/,
      });
      await arrive(page, `/${organizationId}/sites?create=true`);
      const name = page.getByRole('dialog').getByRole('textbox');
      await name.fill('Typed before');
      const reloaded = await updateUnder(page);
      // A newer server, whose procedure takes something else.
      await page.route('**/api/trpc/sites.create*', (route) => route.continue({ postData: '{"0":{}}' }));
      await page.keyboard.press('Enter');
      const notice = page.getByRole('alert').filter({ hasText: words });
      await notice.getByText(locale === 'fr-CA' ? 'saisi' : 'typed').waitFor();
      expect(await name.inputValue()).toBe('Typed before');
      expect(reloaded()).toBe(false);
      await notice.getByRole('button', { name: reload }).click();
      await notice.waitFor({ state: 'hidden' });
      await name.waitFor();
      expect(reloaded()).toBe(true);
    },
  );

  it('the sign-in form says so too, and keeps the address that was typed', async () => {
    const { page } = await journey().visit({ provoked: /404|400/ });
    await arrive(page, '/auth/login');
    const email = page.getByLabel('Email');
    await email.fill('ada@example.ca');
    await page.getByLabel('Password', { exact: true }).fill('typed before');
    await updateUnder(page);
    // A newer server, whose form takes something else.
    await page.route('**/identity/interaction/*/sign-in', (route) => route.continue({ postData: '{}' }));
    await page.keyboard.press('Enter');
    const notice = page
      .getByRole('alert')
      .filter({ hasText: 'The console was updated. Reload the page to continue.' });
    await notice.getByRole('button', { name: 'Reload' }).waitFor();
    expect(await email.inputValue()).toBe('ada@example.ca');
  });

  it('a page that is opened then comes from the new build, and a part says why it cannot come', async () => {
    const { page, organizationId } = await journey().visitSignedIn({ provoked: /cannot be loaded/ });
    await page.clock.install();
    await arrive(page, `/${organizationId}/storage`);
    const reloaded = await updateUnder(page);
    await page.getByRole('button', { name: 'Create bucket' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create bucket' });
    await dialog.getByRole('alert').getByText('The console was updated.', { exact: false }).waitFor();
    await dialog.getByRole('button', { name: 'Reload' }).waitFor();
    await page.keyboard.press('Escape');
    await page.clock.fastForward(11_000);
    await page.getByRole('link', { name: 'Credentials' }).click();
    await page.getByRole('heading', { level: 1, name: 'API credentials' }).waitFor();
    expect(reloaded()).toBe(true);
  });
});

describe('what was typed', () => {
  it('is restored after a reload, until the form is left', async () => {
    const { page, organizationId } = await journey().visitSignedIn();
    await arrive(page, `/${organizationId}`);
    await page.evaluate(() => window.history.pushState({}, '', '/identity/organizations/new'));
    await page.getByLabel('Description').fill('Boats and maps');
    await page.getByLabel('Location').fill('Sept-Îles');
    await page.reload();
    await waitUntilAlive(page);
    await expect.poll(() => page.getByLabel('Description').inputValue()).toBe('Boats and maps');
    expect(await page.getByLabel('Location').inputValue()).toBe('Sept-Îles');
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByLabel('Description').waitFor({ state: 'detached' });
    expect(await draftsOf(page)).toEqual([]);
  });

  it('is still there when the session has ended and the person signs in again in another window', async () => {
    const visitor = await journey().visitSignedIn({
      provoked: /^TRPCClientError: (You are not signed in|Sign in)/,
    });
    const { page, api, organizationId } = visitor;
    await arrive(page, `/${organizationId}/sites?create=true`);
    const name = page.getByRole('dialog').getByRole('textbox');
    await name.fill('Kept name');
    await api('POST', '/auth/logout');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    const question = page.getByRole('dialog', { name: 'Your session has ended' });
    await question.waitFor();
    await expectAccessible(page);
    const beside = await signInAgain(visitor, question);
    await question.waitFor({ state: 'hidden' });
    expect(beside.isClosed()).toBe(true);
    expect(await name.inputValue()).toBe('Kept name');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: /Kept name/ }).waitFor();
  });
});

describe('an interrupted deploy', () => {
  const manifest = { files: { 'index.html': { sha256: 'a'.repeat(64), size: 3 } } };

  it('is discarded from the history', async () => {
    const visitor = await journey().visitSignedIn();
    const { page, api, organizationId } = visitor;
    const siteId = await createSite(visitor, 'Discards');
    await api('POST', `/api/v1/sites/${siteId}/versions`, { json: manifest });
    await arrive(page, `/${organizationId}/sites/${siteId}`);
    await page.getByRole('button', { name: 'Discard version 1' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await page.getByText('Nothing has been deployed yet.', { exact: false }).waitFor();
  });

  it('continues with the folder chosen again, and leaves nothing behind', async () => {
    const visitor = await journey().visitSignedIn();
    const { page, api, organizationId } = visitor;
    const siteId = await createSite(visitor, 'Resumes');
    await api('POST', `/api/v1/sites/${siteId}/versions`, { json: manifest });
    await arrive(page, `/${organizationId}/sites/${siteId}`);
    const folder = await makeTemporaryFolder({ 'index.html': 'resumed' });
    await page.getByLabel('Folder of version 1').setInputFiles(folder);
    await page.getByRole('heading', { name: 'Live', exact: true }).waitFor();
    await page.getByText('uploading', { exact: true }).waitFor({ state: 'hidden' });
  });
});

describe('a secret key', () => {
  /** Opens the page that shows a new key. */
  async function showKey(page: Page, organizationId: string) {
    await arrive(page, `/${organizationId}/credentials?create=true`);
    const dialog = page.getByRole('dialog', { name: 'Create credential' });
    await dialog.getByLabel('Name').fill('CI');
    await dialog.getByRole('button', { name: 'Create credential' }).click();
    await page.getByText('The credential CI is ready').waitFor();
    return page.getByRole('dialog', { name: 'The secret key has not been copied' });
  }

  async function copyAndDismiss(page: Page) {
    await page.getByRole('button', { name: 'Copy secret key' }).click();
    await page.getByRole('status').getByText('Copied').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByText('The credential CI is ready').waitFor({ state: 'hidden' });
  }

  it('that was not copied is not left behind without a question', async () => {
    const { page, organizationId } = await journey().visitSignedIn();
    const question = await showKey(page, organizationId);
    await page.getByRole('link', { name: 'Sites', exact: true }).click();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await copyAndDismiss(page);
  });

  it('that the browser refused to copy does not count as copied', async () => {
    const { page, organizationId } = await journey().visitSignedIn();
    await page.addInitScript(() => {
      Object.defineProperty(navigator, 'clipboard', { value: undefined });
      document.execCommand = () => false;
    });
    const question = await showKey(page, organizationId);
    const copy = page.getByRole('button', { name: 'Copy secret key' });
    await copy.click();
    await page.getByRole('alert').getByText('The browser did not allow copying.').waitFor();
    expect(await hasFocus(copy)).toBe(true);
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await question.waitFor();
  });

  it('is copied at an http address too, where browsers withhold the clipboard', async () => {
    const { page, organizationId } = await journey().visitSignedIn();
    await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await showKey(page, organizationId);
    const key = await page.getByRole('region', { name: 'Copy secret key' }).innerText();
    await copyAndDismiss(page);
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Search and commands' });
    await field.focus();
    await page.keyboard.press('Control+v');
    await expect.poll(() => field.inputValue()).toBe(key);
  });
});

describe('a site deleted in another window', () => {
  it('is not shown as live: its page says so and restores it', async () => {
    const visitor = await journey().visitSignedIn();
    const { page, api, organizationId } = visitor;
    const siteId = await createSite(visitor, 'Elsewhere');
    await page.clock.install();
    await arrive(page, `/${organizationId}/sites/${siteId}`);
    expect((await api('DELETE', `/api/v1/sites/${siteId}`)).status).toBe(204);
    await page.clock.fastForward(11_000);
    await page.getByRole('heading', { name: 'Elsewhere was deleted' }).waitFor();
    await page.getByRole('button', { name: 'Restore it' }).click();
    await page.getByRole('heading', { name: 'Elsewhere.sites.localhost' }).waitFor();
  });

  it('is noticed as soon as its old versions are to be removed', async () => {
    const visitor = await journey().visitSignedIn();
    const { page, api, organizationId } = visitor;
    const siteId = await createSite(visitor, 'Older elsewhere');
    await installClock(page);
    await arrive(page, `/${organizationId}/sites/${siteId}`);
    await page.getByLabel('Newest versions kept').waitFor();
    // Nothing is read again by the clock.
    await page.clock.pauseAt(Date.now() + 1_000);
    expect((await api('DELETE', `/api/v1/sites/${siteId}`)).status).toBe(204);
    await page.getByLabel('Newest versions kept').fill('5');
    // In steps that together are shorter than the pause after which the page reads the site again by itself.
    const deleted = page.getByRole('heading', { name: 'Older elsewhere was deleted' });
    await expect
      .poll(async () => {
        await page.clock.runFor(15);
        return deleted.isVisible();
      })
      .toBe(true);
  });
});

describe('a bucket or webhook deleted in another window', () => {
  it.each([
    ['storage', '/api/v1/storage/buckets', 'Bucket not found'],
    ['webhooks', '/api/v1/webhooks', 'Webhook not found'],
  ])('is not shown as usable: the page of %s says so', async (path, collection, heading) => {
    const { page, api, organizationId } = await journey().visitSignedIn();
    const json =
      path === 'storage'
        ? { name: `gone-${organizationId.slice(-8)}`, region: 'qc-south-1', cors_enabled: false }
        : { url: 'https://hooks.example.ca/gone', events: ['deploy.published'] };
    const created = await api('POST', collection, { json });
    const id = /"id":"([0-9a-z]{26})"/.exec(created.text)?.[1];
    await page.clock.install();
    await arrive(page, `/${organizationId}/${path}/${id}`);
    expect((await api('DELETE', `${collection}/${id}`)).status).toBe(204);
    await page.clock.fastForward(11_000);
    await page.getByRole('heading', { name: heading }).waitFor();
  });
});
