import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import {
  arrive,
  expectAccessible,
  expectFitsPhone,
  PHONE,
  startJourney,
} from '#tests/support/browser/journey.ts';
import { waitUntilAlive } from '#tests/support/browser/wait-until-alive.ts';

const journey = startJourney();

describe('passkeys', () => {
  it('are added on the profile page, sign in without a password, and are removed', async () => {
    const { page, person } = await journey().visitSignedIn({ viewport: PHONE });
    // The browser's own authenticator, whose holder is always present.
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await arrive(page, '/identity/profile');
    const section = page.locator('section', { has: page.getByRole('heading', { name: 'Passkeys' }) });
    await section.getByRole('button', { name: 'Add a passkey' }).click();
    const form = page.getByRole('form', { name: 'Add a passkey' });
    await form.getByLabel('Current password', { exact: true }).fill('wrong horse battery');
    await form.getByRole('button', { name: 'Continue' }).click();
    await form.getByText('Enter a name').waitFor();
    await form.getByLabel('Name', { exact: true }).fill('Pocket');
    await page.keyboard.press('Enter');
    await form.getByText('The current password is wrong').waitFor();
    await expectAccessible(page);
    await form.getByLabel('Current password', { exact: true }).fill(person.account.password);
    await page.keyboard.press('Enter');
    await section.getByText('Pocket').waitFor();
    await section.getByText('not used yet').waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);

    const isHolderThere = (enabled: boolean) =>
      devtools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
    await isHolderThere(false);
    await endSession(page);
    await page.goto('/auth/login');
    await waitUntilAlive(page);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    await expectFitsPhone(page);
    // The browser's suggestion for the address is used without a question.
    await isHolderThere(true);
    await page.goto('/auth/login');
    await page.getByRole('heading', { level: 1, name: /^Welcome|^Hello/ }).waitFor();

    await page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = async () => false;
    });
    await endSession(page);
    await page.goto('/auth/login');
    await waitUntilAlive(page);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('heading', { level: 1, name: /^Welcome|^Hello/ }).waitFor();

    await arrive(page, '/identity/profile');
    await section.getByText('last used').waitFor();
    await section.getByRole('button', { name: 'Remove passkey Pocket' }).click();
    const removal = page.getByRole('form', { name: 'Remove passkey Pocket' });
    await removal.getByLabel('Current password', { exact: true }).fill(person.account.password);
    await removal.getByRole('button', { name: 'Remove passkey' }).click();
    await section.getByText('Pocket').waitFor({ state: 'detached' });

    await endSession(page);
    await page.goto('/auth/login');
    await waitUntilAlive(page);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('The passkey was not accepted.').waitFor();
    expect(new URL(page.url()).pathname).toContain('/identity/interaction/');
  });
});

/** Leaves the console without signing out. A page that stays open would notice and go to the sign-in page by itself. */
async function endSession(page: Page): Promise<void> {
  await page.goto('/healthz');
  await page.context().clearCookies();
}
