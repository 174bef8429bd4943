import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import {
  arrive,
  expectAccessible,
  expectFitsPhone,
  hasFocus,
  startJourney,
} from '#tests/support/browser/journey.ts';
import { waitUntilAlive } from '#tests/support/browser/wait-until-alive.ts';
import { objectOf, type RestClient } from '#tests/support/client/rest-client.ts';
import { destinationFor } from '#tests/support/client/sign-in.ts';
import {
  changePermission,
  endMembership,
  insertNamedOrganization,
} from '#tests/support/server/server-database.ts';

const journey = startJourney();
const NOBODY = '01jzzzzzzzzzzzzzzzzzzzzzzz';

/** A person with their own workspace and an organization named Rivers. */
async function visitWithRivers(options: Parameters<ReturnType<typeof journey>['visitSignedIn']>[0] = {}) {
  const visitor = await journey().visitSignedIn(options);
  const { email } = visitor.person.account;
  const rivers = await insertNamedOrganization(journey().server, {
    name: 'Rivers',
    members: { [email]: 'admin' },
  });
  return { ...visitor, email, rivers, home: visitor.organizationId };
}

const storedContext = async (api: RestClient) =>
  objectOf(await api('GET', '/api/v1/organization/context')).organization_id;
const addressOf = (page: Page) => {
  const { pathname, search, hash } = new URL(page.url());
  return `${pathname}${search}${hash}`;
};
const switcherOf = (page: Page) => page.getByRole('button', { name: 'Switch organization' });
const historyLength = (page: Page) => page.evaluate(() => window.history.length);
const SWITCH_CALLS = '**/api/trpc/*organizations.setContext*';

describe('the context of a session', () => {
  it('is what the address says, and the default for addresses without an organization from then on', async () => {
    const { page, person, api, rivers, home } = await visitWithRivers();
    expect(await storedContext(api)).toBe(home);
    await arrive(page, `/${rivers}/sites`);
    await expect.poll(() => storedContext(api)).toBe(rivers);
    // Browsers keep the part after the # when they are redirected.
    await page.goto('/sites?search=harbour#list');
    expect(addressOf(page)).toBe(`/${rivers}/sites?search=harbour#list`);
    const destinationOf = (path: string) => destinationFor(person, journey().server.consoleUrl, path);
    for (const path of [
      `/sites/${NOBODY}?x=1`,
      '/cdn?create=true',
      `/endpoints/${NOBODY}`,
      '/storage',
      '/credentials',
      '/webhooks',
      '/audit',
      '/usage?period=week',
      '/billing',
      `/billing/invoices/${NOBODY}`,
      '/settings',
    ]) {
      expect(await destinationOf(path)).toBe(`/${rivers}${path}`);
    }
    // Both other forms of an endpoint's address redirect to its page.
    for (const path of [`/cdn/${NOBODY}?x=1`, `/cdn/endpoints/${NOBODY}?x=1`]) {
      expect(await destinationOf(path)).toBe(`/${rivers}/endpoints/${NOBODY}?x=1`);
    }
    await page.goto('/');
    expect(addressOf(page)).toBe(`/${rivers}`);
    await page.goto('/onboarding');
    expect(addressOf(page)).toBe(`/${rivers}`);

    await arrive(page, `/${home}/credentials`);
    await expect.poll(() => storedContext(api)).toBe(home);
    await page.goto('/credentials');
    expect(addressOf(page)).toBe(`/${home}/credentials`);
  });

  it('also applies inside the console, from a page without an organization', async () => {
    const { page, rivers } = await visitWithRivers();
    await arrive(page, `/${rivers}`);
    await page.getByRole('heading', { level: 1, name: 'Rivers' }).waitFor();
    await arrive(page, '/identity/profile');
    await page
      .getByRole('navigation', { name: 'Main navigation' })
      .getByRole('link', { name: 'Dashboard' })
      .click();
    await page.waitForURL(`**/${rivers}`);
    await page.getByRole('heading', { level: 1, name: 'Rivers' }).waitFor();
  });

  it('is kept through the sign-in: an address without an organization leads there with all its parts', async () => {
    const { person, rivers, api } = await visitWithRivers();
    await api('POST', '/api/v1/organization/context/set', { json: { organization_id: rivers } });
    const { page } = await journey().visit();
    await arrive(page, '/sites?search=harbour#list');
    await page.getByRole('heading', { level: 1, name: 'Welcome to Portage' }).waitFor();
    await expect
      .poll(() => page.getByRole('link', { name: 'Sign in' }).getAttribute('href'))
      .toBe(`/auth/login?return_to=${encodeURIComponent('/sites?search=harbour#list')}`);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('Email').waitFor();
    await waitUntilAlive(page);
    await page.getByLabel('Email').fill(person.account.email);
    await page.getByLabel('Password', { exact: true }).fill(person.account.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Sites' }).waitFor();
    // A new session starts in the personal workspace.
    expect(addressOf(page)).toMatch(/^\/[0-9a-z]{26}\/sites\?search=harbour#list$/);
  });

  it('is loaded again when the server cannot be told, and the page stays at the address', async () => {
    const { page, api, rivers, home } = await visitWithRivers();
    await page.route(SWITCH_CALLS, (route) => route.abort());
    const reloaded = page.waitForRequest(/\/api\/trpc\/[^?]*organizations\.context/);
    await arrive(page, `/${rivers}`);
    await reloaded;
    await page.getByRole('heading', { level: 1, name: 'Rivers' }).waitFor();
    expect(await storedContext(api)).toBe(home);
    await page.goto('/');
    expect(addressOf(page)).toBe(`/${home}`);
  });
});

describe('switching', () => {
  it('keeps the rest of the address, adds no history entry, and is disabled meanwhile', async () => {
    const { page, api, rivers, home } = await visitWithRivers({ full_name: 'Ada King' });
    await arrive(page, `/${home}`);
    await page.getByRole('link', { name: 'Sites', exact: true }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Sites' }).waitFor();
    await arrive(page, `/${home}/sites?search=harbour#list`);
    const before = await historyLength(page);
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let calls = 0;
    await page.route(SWITCH_CALLS, async (route) => {
      calls += 1;
      await held;
      await route.continue();
    });
    await switcherOf(page).click();
    const entry = (name: RegExp) => page.getByRole('button', { name });
    expect(await entry(/^Ada King/).innerText()).toMatch(/Ada King\s+Personal/);
    expect(await entry(/^Rivers/).innerText()).toMatch(/Rivers\s+Admin/);
    expect(
      await entry(/^Ada King/)
        .getByLabel('Current')
        .count(),
    ).toBe(1);
    expect(
      await entry(/^Rivers/)
        .getByLabel('Current')
        .count(),
    ).toBe(0);
    await entry(/^Rivers/).click();
    await expect.poll(() => switcherOf(page).isDisabled()).toBe(true);
    expect(await entry(/^Ada King/).getAttribute('aria-disabled')).toBe('true');
    await entry(/^Rivers/).click({ force: true });
    letGo();
    await page.waitForURL(`**/${rivers}/sites?search=harbour#list`);
    await page.getByRole('link', { name: 'New organization' }).waitFor({ state: 'hidden' });
    await expect.poll(() => hasFocus(switcherOf(page))).toBe(true);
    // The address changes before the page.
    await expect.poll(() => switcherOf(page).innerText()).toContain('Rivers');
    expect(await historyLength(page)).toBe(before);
    expect(await storedContext(api)).toBe(rivers);
    expect(calls).toBe(1);
    await page.goBack();
    await page.waitForURL(`**/${home}/sites`);
  });

  it('leads to a page’s not-found state when its resource belongs to the other organization', async () => {
    const { page, api, rivers, home } = await visitWithRivers();
    const site = objectOf(await api('POST', '/api/v1/sites', { json: { name: 'Only at home' } })).id;
    await arrive(page, `/${home}/sites/${site}`);
    await switcherOf(page).click();
    await page.getByRole('button', { name: /^Rivers/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Site not found' }).waitFor();
    expect(addressOf(page)).toBe(`/${rivers}/sites/${site}`);
    expect(await page.title()).toBe('Site not found · Portage');
    expect(await page.content()).not.toContain('Only at home');
  });

  it('shows a failure in red, and works again afterwards', async () => {
    const { page, rivers, home } = await visitWithRivers();
    await arrive(page, `/${home}/credentials`);
    await page.route(SWITCH_CALLS, (route) => route.abort(), { times: 1 });
    await switcherOf(page).click();
    await page.getByRole('button', { name: /^Rivers/ }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('Failed to switch organization', { exact: true }).waitFor();
    expect(addressOf(page)).toBe(`/${home}/credentials`);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await alert.waitFor({ state: 'hidden' });
    await switcherOf(page).click();
    expect(await alert.count()).toBe(0);
    await page.getByRole('button', { name: /^Rivers/ }).click();
    await page.waitForURL(`**/${rivers}/credentials`);
  });

  it('to an organization that the person was removed from says so and removes it from the list', async () => {
    const { page, email, rivers, home } = await visitWithRivers();
    await arrive(page, `/${home}`);
    await switcherOf(page).click();
    await endMembership(journey().server, rivers, email);
    await page.getByRole('button', { name: /^Rivers/ }).click();
    await page.getByRole('alert').getByText('Unknown Organization').waitFor();
    await page.getByRole('button', { name: /^Rivers/ }).waitFor({ state: 'detached' });
    expect(addressOf(page)).toBe(`/${home}`);
  });

  it('among sixty works by keyboard: search, arrows and Enter', async () => {
    const { page, email, rivers, home } = await visitWithRivers();
    for (let team = 1; team <= 58; team += 1) {
      const name = `Équipe ${team}: maps of a country so large that its name has no end`;
      await insertNamedOrganization(journey().server, { name, members: { [email]: 'read' } });
    }
    await arrive(page, `/${home}`);
    await switcherOf(page).focus();
    await page.keyboard.press('Enter');
    const search = page.getByRole('textbox', { name: 'Search organizations' });
    await expect.poll(() => hasFocus(search)).toBe(true);
    const entries = page.getByRole('listitem').filter({ has: page.getByRole('button') });
    await expect.poll(() => entries.count()).toBe(60);
    await expectAccessible(page);
    await expectFitsPhone(page);
    await page.keyboard.press('ArrowUp');
    expect(await hasFocus(page.getByRole('link', { name: 'New organization' }))).toBe(true);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.type('equipe 58');
    await expect.poll(() => entries.count()).toBe(1);
    await search.fill('no such name');
    await page.getByText('Nothing matches.').waitFor();
    await search.fill('riv');
    await expect.poll(() => entries.count()).toBe(1);
    await page.keyboard.press('ArrowDown');
    expect(await hasFocus(page.getByRole('button', { name: /^Rivers/ }))).toBe(true);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/${rivers}`);
    // The last in the list: it opens there.
    await switcherOf(page).click();
    const current = page.getByRole('button', { name: /^Rivers/ });
    const isInList = (entry: Element) => {
      const { top, bottom } = entry.getBoundingClientRect();
      const list = entry.closest('ul')?.getBoundingClientRect();
      // Places are fractions of pixels, and a list scrolls by whole ones.
      return list !== undefined && top >= list.top - 1 && bottom <= list.bottom + 1;
    };
    await expect.poll(() => current.evaluate(isInList)).toBe(true);
    // At a zoom of 200 % it scrolls to its last entry.
    await page.setViewportSize({ width: 640, height: 360 });
    await page.keyboard.press('ArrowUp');
    const last = page.getByRole('link', { name: 'New organization' });
    await expect.poll(() => hasFocus(last)).toBe(true);
    const isInWindow = (entry: Element) => entry.getBoundingClientRect().bottom <= window.innerHeight;
    await expect.poll(() => last.evaluate(isInWindow)).toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(() => hasFocus(switcherOf(page))).toBe(true);
  });

  it('also works from the command palette', async () => {
    const { page, rivers, home } = await visitWithRivers();
    await arrive(page, `/${home}/credentials`);
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Search and commands' });
    await expect.poll(() => hasFocus(palette.getByRole('combobox'))).toBe(true);
    await page.keyboard.type('rivers');
    await palette.getByText('Rivers', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/${rivers}/credentials`);
    await expect.poll(() => switcherOf(page).innerText()).toContain('Rivers');
  });

  it('offers a new organization, and members and settings of a named one', async () => {
    const { page, email, home } = await visitWithRivers();
    const handle = `lakes-${Date.now().toString(36)}`;
    const lakes = await insertNamedOrganization(journey().server, {
      name: 'Lakes',
      handle,
      members: { [email]: 'read' },
    });
    const linkOf = (name: string) => page.getByRole('link', { name, exact: true });
    await arrive(page, `/${home}`);
    await switcherOf(page).click();
    expect(await linkOf('New organization').getAttribute('href')).toBe('/identity/organizations/new');
    expect(await linkOf('Members and settings').count()).toBe(0);
    await arrive(page, `/${lakes}`);
    await switcherOf(page).click();
    await linkOf('Members and settings').click();
    await page.waitForURL(`**/identity/organizations/${handle}?tab=members`);
    await page.getByRole('heading', { level: 1, name: 'Lakes' }).waitFor();
  });
});

describe('an unknown organization', () => {
  it('responds with 404 in the frame, and is the same whether it exists or not', async () => {
    const stranger = await journey().visitSignedIn();
    const lakes = await insertNamedOrganization(journey().server, {
      name: 'Hidden Lakes',
      handle: 'hidden-lakes',
      members: { [stranger.person.account.email]: 'owner' },
    });
    const { page, person, rivers, home, api } = await visitWithRivers({ locale: 'fr-CA' });
    await api('POST', '/api/v1/organization/context/set', { json: { organization_id: rivers } });
    const headers = { cookie: person.cookie, 'accept-language': 'fr-CA' };
    const ask = async (id: string) => {
      const response = await fetch(`${journey().server.consoleUrl}/${id}/sites`, { headers });
      const html = await response.text();
      expect(html).not.toMatch(/hidden.lakes/i);
      const seen = html
        .replaceAll(id, 'ID')
        .replace(/<script[^>]*>.*?<\/script>/gs, '')
        .replace(/nonce="[^"]*"|content="[^"]*"/g, '');
      return { status: response.status, seen };
    };
    const foreign = await ask(lakes);
    expect(foreign.status).toBe(404);
    expect(foreign.seen).toContain('<title>Organisation inconnue · Portage</title>');
    expect(await ask(NOBODY)).toEqual(foreign);
    expect(await storedContext(api)).toBe(rivers);

    await arrive(page, `/${lakes}/sites`);
    await page.getByRole('heading', { level: 1, name: 'Organisation inconnue' }).waitFor();
    const switcher = page.getByRole('button', { name: 'Changer d’organisation : Organisation inconnue' });
    await switcher.waitFor();
    const navigation = page.getByRole('navigation', { name: 'Navigation principale' });
    expect(await navigation.getByRole('link', { name: 'Sites' }).getAttribute('href')).toBe(
      `/${rivers}/sites`,
    );
    expect(await navigation.locator('[aria-current=page]').count()).toBe(0);
    await switcher.click();
    await page.getByRole('button', { name: /Personnel/ }).click();
    await page.waitForURL(`**/${home}/sites`);
    await page.getByRole('heading', { level: 1, name: 'Sites' }).waitFor();

    await arrive(page, `/${NOBODY}`);
    await navigation.getByRole('link', { name: 'Identifiants' }).click();
    await page.waitForURL(`**/${home}/credentials`);
    await page.getByRole('heading', { level: 1, name: 'Identifiants d’API' }).waitFor();
    await expect.poll(() => page.title()).toBe('Identifiants d’API · Portage');
  });

  it('says that the permission is another one when a form closes for it', async () => {
    const { page, email, rivers } = await visitWithRivers({
      provoked: /^TRPCClientError: You need the \w+ permission/,
    });
    await arrive(page, `/${rivers}/sites?create=true`);
    await page.getByLabel('Site name').fill('Typed');
    await changePermission(journey().server, rivers, email, 'read');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Your permission in Rivers is now: Read').waitFor();
  });

  it('replaces an open page, with a notice instead of an error, when the membership ends', async () => {
    const { page, api, email, rivers, home } = await visitWithRivers({
      // The page requested at that moment fails before it is removed.
      provoked: /^TRPCClientError: The organization does not exist/,
    });
    await arrive(page, `/${rivers}/sites`);
    await expect.poll(() => storedContext(api)).toBe(rivers);
    await endMembership(journey().server, rivers, email);
    const navigation = page.getByRole('navigation', { name: 'Main navigation' });
    await navigation.getByRole('link', { name: 'Credentials' }).click();
    await page.getByRole('heading', { level: 1, name: 'Unknown Organization' }).waitFor();
    await page.getByRole('alert').getByText('You no longer have access to Rivers').waitFor();
    await expect.poll(() => page.title()).toBe('Unknown Organization · Portage');
    await switcherOf(page).click();
    expect(await page.getByRole('button', { name: /^Rivers/ }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Go to Dashboard' }).click();
    await page.waitForURL(`**/${home}`);
    await page.getByRole('heading', { level: 1, name: 'Hello, Ada Lovelace' }).waitFor();
  });
});

describe('a session that ended elsewhere', () => {
  it('redirects the open page to the sign-in and back to where it was', async () => {
    const { page, person, api, home } = await visitWithRivers({
      provoked: /^TRPCClientError: (You are not signed in|Sign in)/,
    });
    await arrive(page, `/${home}/settings`);
    await api('POST', '/auth/logout');
    const navigation = page.getByRole('navigation', { name: 'Main navigation' });
    await navigation.getByRole('link', { name: 'Sites' }).click();
    await page.getByRole('heading', { level: 1, name: 'Welcome to Portage' }).waitFor();
    expect(new URL(page.url()).searchParams.get('return_to')).toBe(`/${home}/sites`);
    expect(await page.content()).not.toContain(person.account.email);
  });
});
