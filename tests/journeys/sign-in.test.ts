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
import { BrowserClient } from '#tests/support/client/browser-client.ts';
import { newAccount, openInteraction } from '#tests/support/client/sign-in.ts';

const journey = startJourney();

async function signInWith(page: Page, email: string, password: string): Promise<void> {
  await waitUntilAlive(page);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

describe('a new person', () => {
  it('registers, arrives in a personal workspace, signs out and signs in again', async () => {
    const { page } = await journey().visit();
    const account = newAccount({ full_name: 'Zoé Tremblay' });

    await arrive(page, '/');
    await page.getByRole('heading', { level: 1, name: 'Welcome to Portage' }).waitFor();
    expect(await page.title()).toBe('Sign in · Portage');
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByRole('heading', { level: 1, name: 'Create your account' }).waitFor();
    await waitUntilAlive(page);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('Enter your name').waitFor();
    const password = page.getByLabel('Password', { exact: true });
    expect(await password.getAttribute('aria-invalid')).toBe('true');
    await expect.poll(() => hasFocus(page.getByLabel('Full name'))).toBe(true);
    await page.getByLabel('Full name').pressSequentially(account.full_name);
    await page.getByText('Enter your name').waitFor({ state: 'detached' });
    expect(await password.getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Email').fill(account.email);
    await page.getByLabel('User name').fill(account.login);
    await page.getByLabel('Password', { exact: true }).fill('short');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText(/Use at least \d+ characters/).waitFor();
    await page.getByLabel('Password', { exact: true }).fill(account.password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { level: 1, name: 'Hello, Zoé Tremblay' }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/[0-9a-z]{26}$/);
    expect(await page.title()).toBe('Dashboard · Portage');

    await waitUntilAlive(page);
    await page.getByRole('button', { name: 'User menu' }).click();
    await page.getByText(account.email).waitFor();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Welcome to Portage' }).waitFor();

    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in to Portage' }).waitFor();
    await signInWith(page, account.email, 'not the password');
    await page.getByRole('alert').getByText('The email address or the password is wrong.').waitFor();
    expect(await page.getByLabel('Email').inputValue()).toBe(account.email);
    await signInWith(page, account.email, account.password);
    await page.getByRole('heading', { level: 1, name: 'Hello, Zoé Tremblay' }).waitFor();
  });
});

describe('a person with an account', () => {
  it('is told how long to wait after too many wrong passwords', async () => {
    const { page, person } = await journey().visitSignedIn();
    const guesser = new BrowserClient(journey().server.consoleUrl);
    const uid = await openInteraction(guesser);
    const guess = { email: person.account.email, password: 'a wrong guess' };
    let status = 0;
    for (let guesses = 0; guesses < 20 && status !== 429; guesses += 1) {
      const response = await guesser.sendJson('POST', `/identity/interaction/${uid}/sign-in`, guess);
      status = response.status;
    }
    expect(status).toBe(429);
    await page.context().clearCookies();
    await page.goto('/auth/login');
    await signInWith(page, person.account.email, person.account.password);
    await page
      .getByRole('alert')
      .getByText(/Too many attempts. Try again in \d+ (second|minute)s?/)
      .waitFor();
  });

  it('who uses an old link starts again', async () => {
    const { page } = await journey().visit();
    await page.goto('/identity/interaction/gone-for-long');
    await page.getByRole('heading', { level: 1, name: 'This sign-in has expired' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Start again' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in to Portage' }).waitFor();
  });
});

describe('the signed-out screens', () => {
  it.each([
    '/login',
    '/login?error=sign_in_refused',
    '/auth/login',
    '/identity/register',
    '/identity/forgot-password',
    '/legal/terms',
  ])('%s is accessible in light and dark and fits a phone in both languages', async (path) => {
    for (const locale of ['en-CA', 'fr-CA'] as const) {
      const { page } = await journey().visit({ locale });
      await arrive(page, path);
      expect(await page.evaluate(() => document.documentElement.lang)).toBe(locale);
      await page.getByRole('heading', { level: 1 }).waitFor();
      if (locale === 'en-CA') await expectAccessible(page);
      await expectFitsPhone(page);
    }
  });
});
