import { describe, expect, it } from 'vitest';
import { totpCode, totpStep } from '#server/services/identity/second-factor/totp.ts';
import {
  arrive,
  expectAccessible,
  expectFitsPhone,
  PHONE,
  startJourney,
} from '#tests/support/browser/journey.ts';
import { waitUntilAlive } from '#tests/support/browser/wait-until-alive.ts';

const journey = startJourney();

describe('two-step sign-in', () => {
  it('is set up on the profile page, and then a recovery code signs in', async () => {
    const { page, person } = await journey().visitSignedIn({ viewport: PHONE });
    await arrive(page, '/identity/profile');
    await page.getByRole('button', { name: 'Set up two-step sign-in' }).click();
    const setUp = page.getByRole('form', { name: 'Set up two-step sign-in' });
    await setUp.getByLabel('Current password', { exact: true }).fill(person.account.password);
    await page.keyboard.press('Enter');
    const key = page.getByRole('region', { name: 'Copy the key for the app' });
    const secret = ((await key.textContent()) ?? '').replaceAll(' ', '');
    // Where the app cannot scan the image, the whole key is in sight to be typed.
    expect(await key.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    await page.getByRole('img', { name: 'QR code of the key' }).waitFor();
    await page.getByLabel('Code', { exact: true }).fill('000');
    await page.keyboard.press('Enter');
    await page.getByText('The code is wrong, has expired or has already been used.').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Code', { exact: true }).fill(totpCode(secret, totpStep(Date.now())));
    await page.keyboard.press('Enter');
    await page.getByText('Save these recovery codes').waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    const code = (await page.locator('li code').first().textContent()) ?? '';
    await page.getByRole('button', { name: 'I have saved them' }).click();
    await page.getByText('10 recovery codes are left').waitFor();

    const { page: other } = await journey().visit();
    await other.goto('/auth/login');
    await waitUntilAlive(other);
    await other.getByLabel('Email').fill(person.account.email);
    await other.getByLabel('Password', { exact: true }).fill(person.account.password);
    await other.keyboard.press('Enter');
    await other.getByRole('heading', { level: 1, name: 'Two-step sign-in' }).waitFor();
    await other.getByLabel('Code', { exact: true }).fill(code);
    await expectAccessible(other);
    await other.keyboard.press('Enter');
    await other.getByText('9 codes are left').waitFor();
    await other.getByRole('link', { name: 'Continue' }).click();
    await other.getByRole('heading', { level: 1, name: /^Welcome|^Hello/ }).waitFor();
    expect(new URL(other.url()).pathname).not.toContain('identity');
  });
});
