import { describe, expect, it } from 'vitest';
import { arrive, startJourney } from '#tests/support/browser/journey.ts';
import { waitUntilAlive } from '#tests/support/browser/wait-until-alive.ts';
import { BrowserClient } from '#tests/support/client/browser-client.ts';
import { sessionCookieOf, signIn } from '#tests/support/client/sign-in.ts';

const journey = startJourney();
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';

describe('the language of the interface', () => {
  it('is also the one of the settings when it was chosen in the command palette', async () => {
    const { page, organizationId } = await journey().visitSignedIn();
    await arrive(page, `/${organizationId}/settings`);
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Search and commands' });
    await palette.getByRole('combobox').fill('français');
    await palette.getByText('Change the language to Français (Canada)', { exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Paramètres' }).waitFor();
    const chosen = page.getByRole('combobox', { name: 'Langue d’affichage' });
    await expect.poll(() => chosen.inputValue()).toBe('Français (Canada)');
    expect(await page.getByRole('button', { name: 'Enregistrer', exact: true }).isDisabled()).toBe(true);
  });
});

describe('the sessions', () => {
  it('show every browser, and one that is signed out there is signed out', async () => {
    const { page, person, organizationId } = await journey().visitSignedIn();
    const other = await journey().visit({ userAgent: FIREFOX });
    await other.page.goto('/auth/login');
    await waitUntilAlive(other.page);
    await other.page.getByLabel('Email').fill(person.account.email);
    await other.page.getByLabel('Password', { exact: true }).fill(person.account.password);
    await other.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await other.page.getByRole('heading', { level: 1, name: 'Hello, Ada Lovelace' }).waitFor();

    await arrive(page, `/${organizationId}/settings`);
    const signOut = page.getByRole('button', { name: 'Sign out Firefox on Windows' });
    await signOut.click();
    const question = page.getByRole('dialog', { name: 'Sign out Firefox on Windows?' });
    await question.getByRole('button', { name: /^Sign out/ }).click();
    await page.getByText('The session was signed out').waitFor();
    await signOut.waitFor({ state: 'hidden' });
    await other.page.reload();
    await other.page.getByRole('heading', { level: 1, name: 'Welcome to Portage' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
  });

  it('end everywhere else at once, and not here', async () => {
    const { page, person, organizationId } = await journey().visitSignedIn();
    const others = [1, 2].map(() => new BrowserClient(journey().server.consoleUrl));
    for (const other of others) await signIn(other, person.account);
    await arrive(page, `/${organizationId}/settings`);
    // One of them ends elsewhere, which this page does not know.
    const elsewhere = (await journey().visitSignedIn({ person })).page;
    await arrive(elsewhere, `/${organizationId}/settings`);
    await elsewhere
      .getByRole('button', { name: /^Sign out (?!everywhere)/ })
      .first()
      .click();
    await elsewhere
      .getByRole('dialog')
      .getByRole('button', { name: /^Sign out/ })
      .click();
    await elsewhere.getByText('The session was signed out').waitFor();
    const all = page.getByRole('button', { name: 'Sign out everywhere else' });
    await all.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere else' }).click();
    await page.getByText('All other sessions were signed out').waitFor();
    await all.waitFor({ state: 'hidden' });
    const sessions = page.getByRole('button', { name: /^Sign out / });
    expect(await sessions.count()).toBe(0);
    await page.reload();
    await page.getByText('This browser', { exact: true }).waitFor();
  });
});

describe('the profile', () => {
  it('changes the name everywhere, and the password for the next sign-in', async () => {
    const { page, person, organizationId } = await journey().visitSignedIn({ full_name: 'Ada Byron' });
    await arrive(page, `/${organizationId}/settings`);
    await page.getByRole('heading', { level: 2, name: 'Ada Byron' }).waitFor();
    await page.getByRole('link', { name: 'Edit profile' }).click();
    await page.getByRole('heading', { level: 1, name: 'Your profile' }).waitFor();
    const profile = page.getByRole('form', { name: 'Profile' });
    await profile.getByLabel('Full name').fill('Ada King');
    await profile.getByRole('button', { name: 'Save profile' }).click();
    await profile.getByText('Profile saved').waitFor();
    await profile.getByLabel('Email').fill('ada.king@example.ca');
    await profile.getByRole('button', { name: 'Save profile' }).click();
    await profile.getByText('Enter your current password').waitFor();

    const changedPassword = 'another battery horse staple';
    const passwords = page.getByRole('form', { name: 'Change password' });
    // What password managers read.
    const account = passwords.locator('input[type="text"][autocomplete="username"]');
    expect(await account.inputValue()).toBe(person.account.email);
    await passwords.getByLabel('Current password').fill('not the password');
    await passwords.getByLabel('New password').fill(changedPassword);
    await passwords.getByRole('button', { name: 'Change password' }).click();
    await passwords.getByText('The current password is wrong.').waitFor();
    await passwords.getByLabel('Current password').fill(person.account.password);
    await passwords.getByLabel('New password').fill(changedPassword);
    await passwords.getByRole('button', { name: 'Change password' }).click();
    await passwords.getByText('Password changed').waitFor();

    await page.getByRole('link', { name: 'Dashboard' }).click();
    await page.getByRole('heading', { level: 1, name: 'Hello, Ada King' }).waitFor();
    const elsewhere = new BrowserClient(journey().server.consoleUrl);
    await signIn(elsewhere, { email: person.account.email, password: changedPassword });
    expect(sessionCookieOf(elsewhere)).not.toBe('');
  });
});
