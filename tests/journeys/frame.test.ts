import type { Locator } from 'playwright';
import { describe, expect, it } from 'vitest';
import { arrive, hasFocus, PHONE, startJourney, tabTo } from '#tests/support/browser/journey.ts';

const journey = startJourney();

describe('the frame', () => {
  it('leads to every page, says what is coming, and marks the current one', async () => {
    const { page, organizationId } = await journey().visitSignedIn();
    await arrive(page, `/${organizationId}`);
    const navigation = page.getByRole('navigation', { name: 'Main navigation' });
    expect(await navigation.textContent()).toBe(
      'DashboardSitesCDNCredentialsDNSsoonContainer appssoonObject storageBillingSettings',
    );
    const box = await navigation.boundingBox();
    expect(box?.width).toBe(18 * 16);
    const current = () => navigation.locator('[aria-current=page]').allTextContents();
    expect(await current()).toEqual(['Dashboard']);
    for (const [name, heading, path] of [
      ['Sites', 'Sites', '/sites'],
      ['CDN', 'CDN', '/cdn'],
      ['Credentials', 'API credentials', '/credentials'],
      ['Settings', 'Settings', '/settings'],
      ['Dashboard', 'Hello, Ada Lovelace', ''],
    ] as const) {
      await navigation.getByRole('link', { name }).click();
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      await page.waitForURL(`**/${organizationId}${path}`);
      await expect.poll(current).toEqual([name]);
    }
    await arrive(page, `/${organizationId}/sites/01jzzzzzzzzzzzzzzzzzzzzzzz`);
    expect(await current()).toEqual(['Sites']);
  });

  it('shows an address that leads nowhere, and a page that fails, in the place of every page', async () => {
    const { page, organizationId } = await journey().visitSignedIn({ provoked: /cannot be loaded/ });
    const place = async (name: string) =>
      (await page.getByRole('heading', { level: 1, name }).boundingBox())?.x ?? Number.NaN;
    await arrive(page, `/${organizationId}/nowhere`);
    const nowhere = await place('Page not found');
    await arrive(page, `/${organizationId}/sites`);
    const usual = await place('Sites');
    expect(nowhere).toBe(usual);
    // What the frame itself needs has come.
    await page.waitForLoadState('networkidle');
    // Not even for a moment is the frame away.
    await page.evaluate(() => {
      const look = () => {
        if (!document.querySelector('nav')) document.documentElement.dataset.unframed = '';
        requestAnimationFrame(look);
      };
      look();
    });
    const framed = () => page.evaluate(() => !('unframed' in document.documentElement.dataset));
    await page.route('**/*', (route) => route.abort());
    await page.getByRole('link', { name: 'Billing' }).click();
    await page.getByRole('heading', { level: 1, name: 'This page could not be loaded' }).waitFor();
    expect(await framed()).toBe(true);
    await expect.poll(() => place('This page could not be loaded')).toBe(usual);
  });

  it('is a drawer on a phone, closed until opened and once a page is chosen', async () => {
    const { page, organizationId } = await journey().visitSignedIn({ viewport: PHONE });
    await arrive(page, `/${organizationId}`);
    const sites = page
      .getByRole('navigation', { name: 'Main navigation' })
      .getByRole('link', { name: 'Sites' });
    expect(await sites.count()).toBe(0);
    await page.getByRole('button', { name: 'Open navigation' }).click();
    await sites.waitFor();
    await expect.poll(async () => (await sites.boundingBox())?.x ?? -1).toBeGreaterThanOrEqual(0);
    await page.getByRole('button', { name: 'Close navigation' }).click();
    await expect.poll(() => sites.count()).toBe(0);
    await page.getByRole('button', { name: 'Open navigation' }).click();
    await sites.click();
    await page.getByRole('heading', { level: 1, name: 'Sites' }).waitFor();
    await expect.poll(() => sites.count()).toBe(0);
  });

  it('keeps the page behind the drawer still, shuts on Escape, and leads the focus to the page that was chosen', async () => {
    const { page, organizationId } = await journey().visitSignedIn({ viewport: PHONE });
    await arrive(page, `/${organizationId}`);
    const isBehind = () => page.locator('main').evaluate((main: HTMLElement) => main.inert);
    await page.evaluate(() => window.scrollTo(0, 30));
    await page.getByRole('button', { name: 'Open navigation' }).click();
    await expect.poll(isBehind).toBe(true);
    await page.mouse.move(200, 400);
    await page.mouse.wheel(0, 300);
    await page.keyboard.press('Escape');
    await expect.poll(() => hasFocus(page.getByRole('button', { name: 'Open navigation' }))).toBe(true);
    await expect.poll(isBehind).toBe(false);
    expect(await page.evaluate(() => window.scrollY)).toBe(30);

    await page.keyboard.press('Enter');
    const navigation = page.getByRole('navigation', { name: 'Main navigation' });
    await tabTo(page, navigation.getByRole('link', { name: 'Sites' }));
    await page.keyboard.press('Enter');
    await expect.poll(() => hasFocus(page.getByRole('heading', { level: 1, name: 'Sites' }))).toBe(true);
  });

  it('lets keyboard users skip the navigation', async () => {
    const { page, organizationId } = await journey().visitSignedIn();
    await arrive(page, `/${organizationId}/sites`);
    await page.keyboard.press('Tab');
    const skip = page.getByRole('link', { name: 'Skip to content' });
    expect(await hasFocus(skip)).toBe(true);
    await page.keyboard.press('Enter');
    await expect.poll(() => hasFocus(page.getByRole('main'))).toBe(true);
    await page.keyboard.press('Tab');
    await expect
      .poll(() => hasFocus(page.getByRole('main').getByRole('button', { name: 'Create site' }).first()))
      .toBe(true);
  });
});

describe('the user menu', () => {
  it('names the person and leads to the settings', async () => {
    const { page, person, organizationId } = await journey().visitSignedIn({ full_name: 'Émilie Roy' });
    await arrive(page, `/${organizationId}`);
    await page.getByRole('button', { name: 'User menu' }).click();
    const menu = page.getByRole('menu', { name: 'User menu' });
    await menu.getByText('Émilie Roy').waitFor();
    await menu.getByText(person.account.email).waitFor();
    await menu.getByRole('menuitem', { name: 'Settings' }).click();
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    await page.waitForURL(`**/${organizationId}/settings`);
  });

  it('opens by keyboard, only on demand, and returns the focus', async () => {
    const { page, organizationId } = await journey().visitSignedIn();
    const fetched: string[] = [];
    page.on('request', (request) => fetched.push(request.url()));
    await arrive(page, `/${organizationId}`);
    const button = page.getByRole('button', { name: 'User menu' });
    const scripts = () => fetched.filter((url) => url.endsWith('.js')).length;
    const first = scripts();
    for (const visit of ['first', 'again']) {
      await button.focus();
      expect(await button.getAttribute('aria-expanded'), visit).toBe('false');
      await page.keyboard.press('Enter');
      const menu = page.getByRole('menu', { name: 'User menu' });
      await expect.poll(() => hasFocus(menu.getByRole('menuitem', { name: 'Settings' }))).toBe(true);
      expect(await button.getAttribute('aria-expanded'), visit).toBe('true');
      await page.keyboard.press('Escape');
      await menu.waitFor({ state: 'hidden' });
      await expect.poll(() => hasFocus(button), { message: visit }).toBe(true);
    }
    expect(scripts()).toBeGreaterThan(first);
  });

  it('changes the colour scheme, which is kept', async () => {
    const { page, organizationId } = await journey().visitSignedIn();
    await arrive(page, `/${organizationId}`);
    const scheme = () => page.evaluate(() => document.documentElement.dataset.mantineColorScheme);
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(await scheme()).toBe('light');
    const light = await ground();
    await page.getByRole('button', { name: 'User menu' }).click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    await expect.poll(scheme).toBe('dark');
    expect(await ground()).not.toBe(light);
    await arrive(page, `/${organizationId}`);
    expect(await scheme()).toBe('dark');
    await page.getByRole('button', { name: 'User menu' }).click();
    await page.getByRole('menuitemradio', { name: 'System' }).click();
    await expect.poll(scheme).toBe('light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(scheme).toBe('dark');
  });
});

describe('every page', () => {
  it('shows the highlight and the current page in forced colours, where backgrounds are gone', async () => {
    const { page, organizationId } = await journey().visitSignedIn();
    await page.emulateMedia({ forcedColors: 'active' });
    await arrive(page, `/${organizationId}/sites`);
    const outlineOf = (shown: Locator) => shown.evaluate((element) => getComputedStyle(element).outlineStyle);
    const current = page.getByRole('navigation').getByRole('link', { name: 'Sites', exact: true });
    expect(await outlineOf(current)).toBe('solid');
    await page.keyboard.press('Control+k');
    expect(await outlineOf(page.getByRole('option', { selected: true }))).toBe('solid');
  });

  it('shows what is checked, and where a dialog ends, in forced colours', async () => {
    const { page, organizationId, api } = await journey().visitSignedIn();
    await api('POST', '/api/v1/sites', { json: { name: 'Marina' } });
    await page.emulateMedia({ forcedColors: 'active' });
    await arrive(page, `/${organizationId}/credentials?create=true`);
    const box = page.getByRole('checkbox', { name: 'Marina' });
    await box.waitFor();
    const backgroundOf = () => box.evaluate((element) => getComputedStyle(element).backgroundColor);
    const unchecked = await backgroundOf();
    await box.check();
    await expect.poll(backgroundOf).not.toBe(unchecked);
    const outlineOf = (shown: Locator) => shown.evaluate((element) => getComputedStyle(element).outlineStyle);
    expect(await outlineOf(page.locator('.mantine-Modal-content'))).toBe('solid');
  });

  it('has controls of 44 px for a finger on a phone', async () => {
    const { page, organizationId } = await journey().visitSignedIn({ viewport: PHONE });
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    await arrive(page, `/${organizationId}/sites`);
    const reaches = (control: Locator) =>
      control.evaluate((element) => {
        const { top, left, width, height } = element.getBoundingClientRect();
        const at = document.elementFromPoint(left + width / 2, top + height / 2 - 21);
        return at !== null && element.contains(at);
      });
    for (const name of ['Open navigation', 'User menu', 'Create site']) {
      const control = page.getByRole('button', { name, exact: true }).first();
      await expect.poll(() => reaches(control), { message: name }).toBe(true);
    }
  });
});
