import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { installClock } from '#tests/support/browser/browser-windows.ts';
import {
  arrive,
  expectAccessible,
  expectFitsPhone,
  hasFocus,
  hideServerReturn,
  startOwnJourney,
} from '#tests/support/browser/journey.ts';
import { addTestCard, heading, typeAddress, visitCardStep } from '#tests/support/browser/onboard.ts';
import { waitUntilAlive } from '#tests/support/browser/wait-until-alive.ts';
import { newAccount } from '#tests/support/client/sign-in.ts';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';

/** An empty setting counts as absent: this is what `npm start` does. */
const journey = startOwnJourney({ BILLING_MODE: '' });

const alert = (page: Page, text: string | RegExp) => page.getByRole('alert').getByText(text);

/** Opens the card step for a person whose contact already exists. */
const visitCard = () => visitCardStep(journey());

describe('a new person', () => {
  it('gets from the registration to a live site in under 15 clicks, without any external request', async () => {
    const { page } = await journey().visit();
    let clicks = 0;
    await page.exposeFunction('countClick', () => {
      clicks += 1;
    });
    await page.addInitScript(() => {
      // Keys that press a button trigger a click of their own, without a pointer.
      const count = ({ detail }: MouseEvent) => detail > 0 && Reflect.get(window, 'countClick')();
      document.addEventListener('click', count, { capture: true });
    });
    const outside: string[] = [];
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol.startsWith('http') && origin !== journey().server.consoleUrl) outside.push(request.url());
    });
    const account = newAccount();
    await arrive(page, '/');
    await page.getByRole('link', { name: 'Create an account' }).click();
    await heading(page, 'Create your account').waitFor();
    await waitUntilAlive(page);
    await page.getByLabel('Full name').fill(account.full_name);
    await page.getByLabel('Email').fill(account.email);
    await page.getByLabel('User name').fill(account.login);
    await page.getByLabel('Password', { exact: true }).fill(account.password);
    await page.getByRole('button', { name: 'Create account' }).click();

    await heading(page, 'Welcome').waitFor();
    await page.getByText('Sandbox: no money moves').waitFor();
    await page.getByText(`You are setting up billing for ${account.full_name};`).waitFor();
    await waitUntilAlive(page);
    await page.getByRole('button', { name: 'Get Started' }).click();
    expect(await page.getByLabel('Contact name').inputValue()).toBe(account.full_name);
    expect(await page.getByLabel('Billing email').inputValue()).toBe(account.email);
    expect(await page.getByLabel('Company').inputValue()).toBe(account.full_name);
    await typeAddress(page);
    await page.getByRole('button', { name: 'Continue to Payment' }).click();
    await page.getByText("You won't be charged until you use services").waitFor();
    await page.getByText('Sandbox: no money moves').waitFor();
    await addTestCard(page);
    await page.getByRole('link', { name: 'Go to Dashboard' }).click();
    await heading(page, `Hello, ${account.full_name}`).waitFor();

    await page
      .getByRole('main')
      .getByRole('link', { name: /^Sites/ })
      .click();
    await page.getByRole('button', { name: 'Create site' }).first().click();
    const panel = page.getByRole('dialog', { name: 'Create site' });
    await panel.getByLabel('Site name').fill(`first-${account.login}`);
    await panel.getByRole('button', { name: 'Create site' }).click();
    const folder = await makeTemporaryFolder({ 'index.html': '<h1>Live</h1>' });
    await page.getByLabel('Folder', { exact: true }).setInputFiles(folder);
    await page.getByRole('heading', { name: 'Live', exact: true }).waitFor();
    const served = await journey().server.edge(`first-${account.login}.sites.localhost`, '/');
    expect(served.body.toString()).toBe('<h1>Live</h1>');
    // The test skips the click that opens the folder picker.
    expect(clicks + 1).toBeLessThan(15);
    expect(clicks).toBeGreaterThan(7);
    expect(outside).toEqual([]);
    await page.goBack();
    await page.goBack();
    await page.goBack();
    await expect.poll(() => new URL(page.url()).pathname).not.toBe('/onboarding');
  });

  it('is told in French what is missing, about a declined card and a failed authentication, and loses nothing typed', async () => {
    const { page } = await journey().visitSignedIn({ locale: 'fr-CA' });
    await arrive(page, '/');
    await heading(page, 'Bienvenue').waitFor();
    expect(await page.title()).toBe('Configurer la facturation · Portage');
    await page.getByRole('progressbar', { name: 'Progression' }).waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    await page.getByRole('button', { name: 'Commencer' }).click();

    await page.getByRole('button', { name: 'Ajouter un numéro de taxe' }).click();
    const taxType = page.getByLabel('Type de numéro de taxe');
    await expect.poll(() => hasFocus(taxType)).toBe(true);
    await taxType.selectOption('GST');
    const taxNumber = page.getByLabel('Numéro de taxe', { exact: true });
    await taxNumber.fill('123');
    const goOn = page.getByRole('button', { name: 'Continuer vers le paiement' });
    await goOn.click();
    await page.getByText('Entrez une adresse').waitFor();
    await page.getByText('Choisissez une province ou un territoire').waitFor();
    await page.getByText('Un numéro de TPS a la forme 123456789 RT0001').waitFor();
    await expect.poll(() => hasFocus(page.getByLabel('Adresse, ligne 1'))).toBe(true);
    await expectAccessible(page);
    await expectFitsPhone(page);
    await taxNumber.fill('123456789 rt0001');
    await typeAddress(page, 'fr-CA');
    await goOn.click();

    const number = page.getByLabel('Numéro de carte');
    await number.waitFor();
    const add = page.getByRole('button', { name: 'Ajouter la carte' });
    await add.click();
    await page.getByText('Votre numéro de carte est incomplet.').waitFor();
    await expect.poll(() => hasFocusInside(page, 'number')).toBe(true);
    await expectAccessible(page);
    await expectFitsPhone(page);
    await number.pressSequentially('4000000000000002');
    expect(await number.inputValue()).toBe('4000 0000 0000 0002');
    await page.getByLabel('Date d’expiration').pressSequentially('734');
    expect(await page.getByLabel('Date d’expiration').inputValue()).toBe('07 / 34');
    await page.getByLabel('Code de sécurité').pressSequentially('123');
    await page.keyboard.press('Enter');
    await alert(page, 'Votre carte a été refusée.').waitFor();
    expect(await number.inputValue()).toBe('4000 0000 0000 0002');
    expect(await page.getByLabel('Code de sécurité').inputValue()).toBe('123');

    await number.fill('4000 0027 6000 3184');
    await add.click();
    const dialog = page.getByRole('dialog', { name: 'Authentification' });
    await dialog.waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await alert(page, 'Nous ne parvenons pas à authentifier votre mode de paiement.').waitFor();
    await add.click();
    await dialog.getByRole('button', { name: 'Refuser' }).click();
    await alert(page, 'Nous ne parvenons pas à authentifier votre mode de paiement.').waitFor();
    expect(await number.inputValue()).toBe('4000 0027 6000 3184');
    await installClock(page);
    await add.click();
    // However long the bank waits for the person, the provider is not called slow.
    await dialog.waitFor();
    await page.clock.fastForward(10_000);
    expect(await page.getByText('met plus de temps que d’habitude').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Terminer l’authentification' }).click();
    await heading(page, 'Tout est prêt!').waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    const before = await page.evaluate(() => window.history.length);
    await page.getByRole('link', { name: 'Aller au tableau de bord' }).click();
    await heading(page, 'Bonjour Ada Lovelace').waitFor();
    expect(await page.evaluate(() => window.history.length)).toBe(before);
  });
});

/** Whether a field of the card has the focus: outside its frame, the frame itself has it. */
function hasFocusInside(page: Page, id: string): Promise<boolean> {
  return page.evaluate((wanted) => document.activeElement?.shadowRoot?.activeElement?.id === wanted, id);
}

describe('an unresponsive provider', () => {
  it('is reported, and nothing typed is lost', async () => {
    const { page } = await journey().visitSignedIn();
    const away = failProcedure(page, 'billing.createCustomer', 'payments_unavailable');
    await arrive(page, '/onboarding?step=billing');
    await typeAddress(page);
    await page.getByLabel('Phone').fill('514 555-0100');
    await page.getByRole('button', { name: 'Continue to Payment' }).click();
    await alert(page, /The payment provider is not responding right now\. Nothing was lost/).waitFor();
    expect(await page.getByLabel('City').inputValue()).toBe('Montréal');
    expect(await page.getByLabel('Province').inputValue()).toBe('QC');
    (await away)();
    await page.getByRole('button', { name: 'Continue to Payment' }).click();

    await page.getByRole('button', { name: 'Fill in a test card' }).click();
    const back = await failProcedure(page, 'billing.addPaymentMethod', 'payments_unavailable');
    await page.getByRole('button', { name: 'Add Card' }).click();
    await alert(page, /The payment provider is not responding right now/).waitFor();
    expect(await page.getByLabel('Card number').inputValue()).toBe('4242 4242 4242 4242');
    await back();
    await page.getByRole('button', { name: 'Back' }).click();
    // The phone is kept too, though a new customer's payload has none.
    await expect.poll(() => page.getByLabel('Phone').inputValue()).toBe('514 555-0100');
    expect(await page.getByLabel('Postal code').inputValue()).toBe('H2X 1K4');
  });

  it('that is only slow is reported as slow while the person waits', async () => {
    const { page } = await journey().visitSignedIn();
    const late = Promise.withResolvers<void>();
    await page.route('**/api/trpc/billing.createCustomer*', async (route) => {
      await late.promise;
      await route.continue();
    });
    await arrive(page, '/onboarding?step=billing');
    await typeAddress(page);
    await page.getByRole('button', { name: 'Continue to Payment' }).click();
    await page
      .getByRole('status')
      .getByText(/^The payment provider is taking longer than usual/)
      .waitFor();
    expect(await page.getByLabel('City').inputValue()).toBe('Montréal');
    await expectAccessible(page);
    late.resolve();
    await page.getByLabel('Card number').waitFor();
    expect(await page.getByText(/taking longer than usual/).count()).toBe(0);
  });

  it('that cannot be loaded is retried on demand', async () => {
    const { page } = await journey().visitSignedIn();
    await hideServerReturn(page);
    await page.route('**/_webconfig', (route) => route.abort());
    await arrive(page, '/onboarding?step=billing');
    await typeAddress(page);
    await page.getByRole('button', { name: 'Continue to Payment' }).click();
    await alert(page, 'Failed to load payment configuration').waitFor();
    await page.getByRole('button', { name: 'Add Card' }).click();
    await alert(page, 'Card element not found').waitFor();
    await page.unroute('**/_webconfig');
    await page.getByRole('button', { name: 'Retry' }).click();
    await addTestCard(page);
  });

  it('whose setup has expired gets another one with the next press', async () => {
    const { page } = await visitCard();
    const confirm = '**/_sandbox/setup-intents/*/confirm';
    await page.route(confirm, (route) =>
      route.fulfill({
        status: 400,
        json: { error: { type: 'invalid_request_error', code: 'setup_intent_unexpected_state' } },
      }),
    );
    await page.getByRole('button', { name: 'Fill in a test card' }).click();
    await page.getByRole('button', { name: 'Add Card' }).click();
    await alert(page, /The card form had expired/).waitFor();
    await page.unroute(confirm);
    await page.getByRole('button', { name: 'Add Card' }).click();
    await heading(page, 'All Set!').waitFor();
  });
});

/** Makes a procedure fail with this code, like the server would; returns what ends it. */
async function failProcedure(page: Page, name: string, code: string): Promise<() => Promise<void>> {
  const address = `**/api/trpc/${name}*`;
  const params = { seconds: 10 };
  const error = { code, message: '', params, fields: [], request_id: null };
  const json = [{ error: { json: { message: '', code: -32_600, data: { httpStatus: 503, error } } } }];
  await page.route(address, (route) => route.fulfill({ status: 503, json }));
  return () => page.unroute(address);
}
