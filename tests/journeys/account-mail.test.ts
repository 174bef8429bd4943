import type { Page } from 'playwright';
import { afterAll, describe, expect, it } from 'vitest';
import {
  arrive,
  expectAccessible,
  expectFitsPhone,
  startOwnJourney,
  tabTo,
} from '#tests/support/browser/journey.ts';
import { waitUntilAlive } from '#tests/support/browser/wait-until-alive.ts';
import { BrowserClient } from '#tests/support/client/browser-client.ts';
import { registerAndSignIn } from '#tests/support/client/sign-in.ts';
import { linkIn, startMailServer } from '#tests/support/server/mail-server.ts';

const mail = await startMailServer();
afterAll(() => mail.close());
const journey = startOwnJourney({ MAIL_URL: mail.url, MAIL_FROM: 'Portage <no-reply@example.ca>' });

const NEW_PASSWORD = 'un cheval bien meilleur';

const pathIn = (text: string) => linkIn(text).pathname;
const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

/** Asks for a link like the form does. */
async function requestLink(email: string): Promise<void> {
  const browser = new BrowserClient(journey().server.consoleUrl);
  const response = await browser.sendJson('POST', '/identity/forgot-password', { email });
  expect(response.status).toBe(200);
}

describe('a person who has forgotten the password', () => {
  it('chooses a new one in French, by keyboard, with the link in the email', async () => {
    const elsewhere = await journey().visitSignedIn();
    const { email, password } = elsewhere.person.account;
    const { page } = await journey().visit({ locale: 'fr-CA' });

    await page.goto('/auth/login');
    await heading(page, 'Se connecter à Portage');
    await waitUntilAlive(page);
    await tabTo(page, page.getByRole('link', { name: 'Mot de passe oublié?' }));
    await page.keyboard.press('Enter');
    await heading(page, 'Mot de passe oublié?');
    await waitUntilAlive(page);
    expect(await page.title()).toBe('Mot de passe oublié? · Portage');
    await page.keyboard.press('Enter');
    await page.getByText('Entrez votre adresse courriel').waitFor();
    await page.keyboard.type(email);
    await page.keyboard.press('Enter');
    await heading(page, 'Consultez votre boîte de réception');
    await page.getByText(email).waitFor();

    const { text, html } = await mail.waitFor(email, 'Choisissez un nouveau mot de passe · Portage');
    expect(html).toContain(linkIn(text).href);
    await arrive(page, pathIn(text));
    await heading(page, 'Choisir un nouveau mot de passe');
    const field = page.getByLabel('Nouveau mot de passe', { exact: true });
    await field.fill(email);
    await page.getByRole('button', { name: 'Changer le mot de passe' }).click();
    await page.getByText('Le mot de passe ne doit pas être l’adresse courriel').waitFor();
    await field.fill(NEW_PASSWORD);
    await page.keyboard.press('Enter');
    await heading(page, 'Votre mot de passe est modifié');
    // The page comes complete: nothing that arrives later can remove what has been typed.
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.getByRole('link', { name: 'Se connecter' }).click();
    await heading(page, 'Se connecter à Portage');
    await waitUntilAlive(page);
    expect(await page.getByLabel('Courriel').inputValue()).toBe(email);

    await page.getByLabel('Mot de passe', { exact: true }).fill(password);
    expect(asked.filter((path) => path.endsWith('/details'))).toEqual([]);
    await page.getByRole('button', { name: 'Se connecter' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Courriel').inputValue()).toBe(email);
    await page.getByLabel('Mot de passe', { exact: true }).fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Se connecter' }).click();
    await heading(page, /^Bonjour/);

    await elsewhere.page.goto('/');
    await heading(elsewhere.page, 'Welcome to Portage');
    await mail.waitFor(email, 'Votre mot de passe a été modifié · Portage');

    await arrive(page, pathIn(text));
    await heading(page, 'Ce lien ne fonctionne plus');
    await page.getByRole('link', { name: 'Demander un nouveau lien' }).click();
    await heading(page, 'Mot de passe oublié?');
  });

  it('finds the address that was typed on every page of the way, and back', async () => {
    const { page } = await journey().visit();
    const address = page.getByLabel('Email');
    await arrive(page, '/auth/login');
    await heading(page, 'Sign in to Portage');
    await address.fill('ada@example.ca');
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await heading(page, 'Forgot your password?');
    expect(await address.inputValue()).toBe('ada@example.ca');
    expect(page.url()).not.toContain('ada');

    await address.fill('ada@example.org');
    await page.goBack();
    await heading(page, 'Sign in to Portage');
    expect(await address.inputValue()).toBe('ada@example.org');

    await page.goForward();
    await heading(page, 'Forgot your password?');
    await page.getByRole('link', { name: 'Back to sign in' }).click();
    await heading(page, 'Sign in to Portage');
    expect(await address.inputValue()).toBe('ada@example.org');
  });

  it('reads the same without an account, however often the form is sent', async () => {
    const { page } = await journey().visit();
    const ask = async () => {
      await arrive(page, '/identity/forgot-password');
      await page.getByLabel('Email').fill('nobody@example.ca');
      await page.getByRole('button', { name: 'Send the link' }).click();
    };
    await ask();
    await heading(page, 'Check your inbox');
    await expectAccessible(page);
    await expectFitsPhone(page);
    await page.getByRole('button', { name: 'Use another address' }).click();
    await heading(page, 'Forgot your password?');
    // The account's limit is five links an hour; no one is told that it was reached.
    for (let count = 0; count < 4; count += 1) await requestLink('nobody@example.ca');
    await ask();
    await heading(page, 'Check your inbox');
    expect(mail.received.filter(({ to }) => to.includes('nobody@example.ca'))).toEqual([]);
  });

  it('submits the form before the page is interactive, and nothing is lost', async () => {
    const { account } = await registerAndSignIn(journey().server.consoleUrl);
    const { page } = await journey().visit();
    await page.goto('/identity/forgot-password', { waitUntil: 'commit' });
    await page.getByLabel('Email').fill(account.email);
    await page.getByLabel('Email').press('Enter');
    await heading(page, 'Check your inbox');
    expect(new URL(page.url()).search).toBe('');
    await mail.waitFor(account.email, 2);
  });
});

describe('a person with a new address', () => {
  it('confirms it with the link and sees that in the profile', async () => {
    const { page, person } = await journey().visitSignedIn();
    const { email } = person.account;
    const first = await mail.waitFor(email);
    await arrive(page, '/identity/profile');
    await page.getByText('This address is not confirmed yet.').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Send the link again' }).click();
    await page.getByText(`A link was sent to ${email}.`).waitFor();
    const second = await mail.waitFor(email, 2);

    await arrive(page, pathIn(first.text));
    await heading(page, 'Confirm your email address');
    await page.getByRole('button', { name: 'Confirm my address' }).click();
    await heading(page, 'This link no longer works');
    await expectAccessible(page);

    await arrive(page, pathIn(second.text));
    await expectAccessible(page);
    await expectFitsPhone(page);
    await page.getByRole('button', { name: 'Confirm my address' }).click();
    await heading(page, 'Your email address is confirmed');
    await expectAccessible(page);
    await page.goto('/identity/profile');
    await page.getByText('This address is confirmed.').waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
  });
});

describe('the pages opened by links', () => {
  it('are accessible in light and dark and fit a phone in both languages', async () => {
    const { account } = await registerAndSignIn(journey().server.consoleUrl);
    await requestLink(account.email);
    const { text } = await mail.waitFor(account.email, 'Choose a new password');
    for (const locale of ['en-CA', 'fr-CA'] as const) {
      const { page } = await journey().visit({ locale });
      for (const path of [pathIn(text), '/identity/reset-password/unknown']) {
        await arrive(page, path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        if (path.endsWith('unknown'))
          await heading(
            page,
            locale === 'en-CA' ? 'This link no longer works' : 'Ce lien ne fonctionne plus',
          );
        if (locale === 'en-CA') await expectAccessible(page);
        await expectFitsPhone(page);
      }
    }
  });
});
