import { describe, expect, it } from 'vitest';
import {
  expectAccessible,
  expectFitsPhone,
  expectNoComplaints,
  startJourney,
} from '#tests/support/journey.ts';
import { newAccount } from '#tests/support/sign-in.ts';

const journey = startJourney();

describe('somebody new', () => {
  it('registers, arrives in a personal workspace, signs out and signs in again', async () => {
    const visitor = await journey().visit();
    const { page } = visitor;
    const account = newAccount({ full_name: 'Zoé Tremblay' });

    await page.goto('/');
    await expect.poll(() => page.title()).toContain('Portage');
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('Full name').fill(account.full_name);
    await page.getByLabel('User name').fill(account.login);
    await page.getByLabel('Email').fill(account.email);
    await page.getByLabel('Password', { exact: true }).fill(account.password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { level: 1, name: /Zoé Tremblay/ }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/[0-9a-z]{26}$/);

    await page.getByRole('button', { name: 'User menu' }).click();
    await page.getByText(account.email).waitFor();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Welcome to Portage' }).waitFor();

    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('Email').fill(account.email);
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The email address or the password is wrong.').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(account.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: /Zoé Tremblay/ }).waitFor();
    expectNoComplaints(visitor);
  });

  it('is brought back to the page asked for', async () => {
    const { page, person } = await journey().visitSignedIn();
    await page.context().clearCookies();
    const wanted = `${person.landedAt}/sites`;
    await page.goto(wanted);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('Email').fill(person.account.email);
    await page.getByLabel('Password', { exact: true }).fill(person.account.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`**${wanted}`);
  });

  it('sees an unknown organization as unknown, and a link without one led to its own', async () => {
    const { page, organizationId } = await journey().visitSignedIn();
    await page.goto('/01jzzzzzzzzzzzzzzzzzzzzzzz/sites');
    await page.getByRole('heading', { name: 'Unknown Organization' }).waitFor();
    await page.goto('/sites');
    await page.waitForURL(`**/${organizationId}/sites`);
  });
});

describe('the signed-out screens', () => {
  it.each(['/login', '/identity/register', '/legal/terms'])(
    '%s is accessible in light and dark and fits a phone',
    async (path) => {
      const visitor = await journey().visit();
      await visitor.page.goto(path);
      await visitor.page.getByRole('heading', { level: 1 }).waitFor();
      await expectAccessible(visitor.page);
      await expectFitsPhone(visitor.page);
      expectNoComplaints(visitor);
    },
  );
});
