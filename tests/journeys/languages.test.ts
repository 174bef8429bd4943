import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { arrive, expectAccessible, expectFitsPhone, startJourney } from '#tests/support/browser/journey.ts';
import { BrowserClient } from '#tests/support/client/browser-client.ts';
import { insertNamedOrganization } from '#tests/support/server/server-database.ts';

const journey = startJourney();
const NOBODY = '01jzzzzzzzzzzzzzzzzzzzzzzz';
const SCRIPT = '"><script>alert(1)</script>';
const SETTINGS_CALLS = '**/api/trpc/*user.updateSettings*';

const languageOf = (page: Page) => page.evaluate(() => document.documentElement.lang);
const remembered = (page: Page) => page.evaluate(() => window.localStorage.getItem('language'));

/** Every page a person can open, with its heading in both languages. */
const SCREENS: [path: string, english: string, french: string][] = [
  ['', 'Rivers', 'Rivers'],
  ['/sites', 'Sites', 'Sites'],
  ['/cdn', 'CDN', 'CDN'],
  ['/credentials', 'API credentials', 'Identifiants d’API'],
  ['/settings', 'Settings', 'Paramètres'],
  ['/no-such-page', 'Page not found', 'Page introuvable'],
  [`/sites/${NOBODY}`, 'Site not found', 'Site introuvable'],
];

/**
 * Sends a request like a browser that knows nothing about the person but the session, and prefers the other
 * language.
 */
async function firstBytes(path: string, cookie: string, acceptLanguage: string): Promise<string> {
  const headers = { cookie, 'accept-language': acceptLanguage };
  return (await fetch(`${journey().server.consoleUrl}${path}`, { headers })).text();
}

async function chooseFrench(page: Page): Promise<void> {
  await page.getByLabel('Language preference').click();
  await page.getByRole('option', { name: 'Français (Canada)' }).click();
}

it('a browser without JavaScript reads in its language that the console needs it', async () => {
  for (const [language, sentence] of [
    ['en-CA', 'The console needs JavaScript.'],
    ['fr-CA', 'La console a besoin de JavaScript.'],
  ] as const) {
    const html = await firstBytes('/login', '', language);
    expect(/<noscript>.*<\/noscript>/.exec(html)?.[0], language).toContain(sentence);
  }
});

describe('two people, one in English and one in French', () => {
  it('each see every page in their own language from the first bytes on', async () => {
    const { server, visitSignedIn } = journey();
    const ada = await visitSignedIn({ full_name: 'Ada King' });
    const zoe = await visitSignedIn({ full_name: 'Zoé Roy' });
    const rivers = await insertNamedOrganization(server, {
      name: 'Rivers',
      members: { [ada.person.account.email]: 'owner', [zoe.person.account.email]: 'write' },
    });
    const preferences = [
      [ada, 'en-CA'],
      [zoe, 'fr-CA'],
    ] as const;
    for (const [{ api }, language_preference] of preferences) {
      const response = await api('PUT', '/api/v1/user/settings', { json: { language_preference } });
      expect(response.status).toBe(200);
    }
    for (const [{ person }, language] of preferences) {
      const other = language === 'en-CA' ? 'fr-CA' : 'en-CA';
      for (const [path, english, french] of SCREENS) {
        const html = await firstBytes(`/${rivers}${path}`, person.cookie, other);
        const heading = language === 'en-CA' ? english : french;
        expect(html, `${language} ${path}`).toMatch(new RegExp(`<html[^>]* lang="${language}"`));
        expect(html, `${language} ${path}`).toMatch(new RegExp(`<h1[^>]*>${heading}</h1>`));
      }
    }
    const french = [
      [`/${NOBODY}`, 'Organisation inconnue'],
      ['/identity/profile', 'Votre profil'],
      ['/login', 'Bienvenue dans Portage'],
      ['/legal/terms', 'Conditions d’utilisation'],
      ['/legal/no-such-document', 'Page introuvable'],
    ] as const;
    for (const [path, heading] of french) {
      expect(await firstBytes(path, zoe.person.cookie, 'en-CA'), path).toMatch(
        new RegExp(`<h1[^>]*>${heading}</h1>`),
      );
    }

    // The browser does not flicker back: hydration keeps the preference although the browser prefers the
    // other.
    await arrive(zoe.page, `/${rivers}`);
    await zoe.page.getByRole('button', { name: 'Changer d’organisation : Rivers' }).click();
    const entry = zoe.page.getByRole('button', { name: /^Rivers/ });
    expect(await entry.innerText()).toMatch(/Rivers\s+Écriture/);
    expect(await zoe.page.getByRole('button', { name: /^Zoé Roy/ }).innerText()).toMatch(/Personnel/);
    expect(await languageOf(zoe.page)).toBe('fr-CA');
    expect(await zoe.page.title()).toBe('Tableau de bord · Portage');
    await expectFitsPhone(zoe.page);
  });
});

describe('the language preference', () => {
  it('can be saved only when it differs, changes everything at once, and confirms it for a while', async () => {
    const { page, organizationId } = await journey().visitSignedIn();
    await arrive(page, `/${organizationId}/settings`);
    const save = page.getByRole('button', { name: 'Save', exact: true });
    expect(await save.isDisabled()).toBe(true);
    await chooseFrench(page);
    expect(await save.isDisabled()).toBe(false);
    await page.getByRole('combobox', { name: 'Language preference' }).click();
    await page.getByRole('option', { name: 'English (Canada)' }).click();
    expect(await save.isDisabled()).toBe(true);
    await chooseFrench(page);
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    const refreshed = page.waitForRequest(/\/api\/trpc\/[^?]*user\.me/);
    await save.click();
    await page.getByText('Paramètres enregistrés').waitFor();
    await refreshed;
    await expect.poll(() => page.title()).toBe('Paramètres · Portage');
    expect(await languageOf(page)).toBe('fr-CA');
    expect(await remembered(page)).toBe('fr-CA');
    expect(await page.getByRole('button', { name: 'Enregistrer', exact: true }).isDisabled()).toBe(true);
    await page.getByText('Paramètres enregistrés').waitFor({ state: 'hidden' });
    for (const name of [
      'Tableau de bord',
      'Sites',
      'CDN',
      'Identifiants',
      'Stockage d’objets',
      'Facturation',
    ])
      await page.getByRole('navigation').getByText(name, { exact: true }).waitFor();
    await page.goto('/login');
    await page.getByRole('heading', { level: 1, name: 'Bienvenue dans Portage' }).waitFor();
  });

  it('that could not be saved says so and leaves everything unchanged', async () => {
    const { page, organizationId, api } = await journey().visitSignedIn();
    await arrive(page, `/${organizationId}/settings`);
    await page.route(SETTINGS_CALLS, (route) => route.abort(), { times: 1 });
    await chooseFrench(page);
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await save.click();
    await page.getByRole('alert').getByText('Unknown error', { exact: true }).waitFor();
    expect(await languageOf(page)).toBe('en-CA');
    expect(await page.getByText('Settings saved').count()).toBe(0);
    await expectAccessible(page);
    expect(await save.isDisabled()).toBe(false);

    // The server's message is shown instead.
    await api('POST', '/auth/logout');
    await save.click();
    await page.getByRole('alert').getByText('You are signed out. Sign in and try again.').waitFor();
    expect(await languageOf(page)).toBe('en-CA');
  });
});

describe('the language of a person who has not chosen', () => {
  it('is the stored choice, then the browser’s, then English, and is kept in this browser', async () => {
    const german = await journey().visit({ locale: 'de-DE' as 'en-CA' });
    await arrive(german.page, '/login');
    expect(await languageOf(german.page)).toBe('en-CA');
    expect(await remembered(german.page)).toBe('en-CA');

    const { page, context } = await journey().visit({ locale: 'fr-CA' });
    await arrive(page, '/login');
    expect(await languageOf(page)).toBe('fr-CA');
    expect(await remembered(page)).toBe('fr-CA');
    await page.getByRole('button', { name: /English \(Canada\)/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Welcome to Portage' }).waitFor();
    expect(await page.title()).toBe('Sign in · Portage');
    expect(await remembered(page)).toBe('en-CA');
    // The cookie is only a mirror: without it, the stored preference still applies.
    await context.clearCookies();
    await arrive(page, '/login');
    await page.getByRole('heading', { level: 1, name: 'Welcome to Portage' }).waitFor();
    await expect
      .poll(async () => (await context.cookies()).find(({ name }) => name === 'language')?.value)
      .toBe('en-CA');
  });

  it('is never a value that looks like a script', async () => {
    const { server, visit } = journey();
    const response = await fetch(`${server.consoleUrl}/login`, {
      headers: {
        cookie: `language=${encodeURIComponent(SCRIPT)}`,
        'accept-language': 'javascript:alert(1), <script>alert(2)</script>, fr-CA"onload=alert(3)',
      },
    });
    const html = await response.text();
    expect(html).toMatch(/<html[^>]* lang="(en|fr)-CA"/);
    expect(html).not.toContain('alert(');

    const { page, context } = await visit();
    await page.addInitScript((script) => window.localStorage.setItem('language', script), SCRIPT);
    await context.addCookies([{ name: 'language', value: 'fr-CA<script>', url: server.consoleUrl }]);
    await arrive(page, '/login');
    expect(await languageOf(page)).toBe('en-CA');
    await page.getByRole('heading', { level: 1, name: 'Welcome to Portage' }).waitFor();
    await expect.poll(() => remembered(page)).toBe('en-CA');

    const browser = new BrowserClient(server.consoleUrl);
    const asked = `/auth/login?ui_locales=${encodeURIComponent(SCRIPT)}`;
    const redirect = await browser.request(asked, { headers: { 'accept-language': 'fr-CA' } });
    const target = new URL(redirect.headers.get('location') ?? '');
    expect(target.searchParams.get('ui_locales')).toBe('fr-CA');
    expect(target.href).not.toContain('alert');
  });
});
