import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { arrive, expectAccessible, startOwnJourney } from '#tests/support/browser/journey.ts';
import {
  addTestCard,
  heading,
  setUpBillingOf,
  typeAddress,
  visitCardStep,
} from '#tests/support/browser/onboard.ts';
import { addMember, makeOrganization } from '#tests/support/browser/organizations.ts';
import { refuseProcedures } from '#tests/support/browser/refuse-procedures.ts';
import { waitUntilAlive } from '#tests/support/browser/wait-until-alive.ts';
import { requireStatus } from '#tests/support/client/deploy-client.ts';
import { objectOf } from '#tests/support/client/rest-client.ts';

/** An empty setting counts as absent: this is what `npm start` does. */
const journey = startOwnJourney({ BILLING_MODE: '' });

const alert = (page: Page, text: string | RegExp) => page.getByRole('alert').getByText(text);
const addressOf = (page: Page) => new URL(page.url()).pathname + new URL(page.url()).search;

/** Opens the card step for a person whose contact already exists. */
const visitCard = () => visitCardStep(journey());

describe('the guard', () => {
  it('leads to onboarding from any page, and afterwards back to the destination', async () => {
    const { page, organizationId } = await journey().visitSignedIn();
    await arrive(page, `/${organizationId}/sites?create=true`);
    await heading(page, 'Welcome').waitFor();
    const way = `/onboarding?return_to=${encodeURIComponent(`/${organizationId}/sites?create=true`)}`;
    expect(addressOf(page)).toBe(way);
    await page.getByRole('button', { name: 'Get Started' }).click();
    await typeAddress(page);
    await page.getByRole('button', { name: 'Continue to Payment' }).click();
    await addTestCard(page);
    await page.getByRole('link', { name: 'Back to where you were' }).click();
    await page.getByRole('dialog', { name: 'Create site' }).waitFor();
    expect(addressOf(page)).toBe(`/${organizationId}/sites?create=true`);
    await arrive(page, '/onboarding');
    await heading(page, 'Hello, Ada Lovelace').waitFor();
    expect(addressOf(page)).toBe(`/${organizationId}`);
  });

  it('goes to the card step when only a card is missing', async () => {
    const { page, organizationId } = await visitCard();
    await arrive(page, `/${organizationId}/billing`);
    await heading(page, 'Welcome').waitFor();
    await arrive(page, '/onboarding?step=payment');
    await page.getByLabel('Card number').waitFor();
    await arrive(page, '/onboarding?step=complete');
    await heading(page, 'Welcome').waitFor();
  });

  it('checks again for each organization that one switches to', async () => {
    const visitor = await journey().visitSignedIn();
    const { page, organizationId: home } = visitor;
    await setUpBillingOf(visitor, home);
    const rivers = await makeOrganization(visitor, { name: 'Rivers', handle: `rivers-${home.slice(-8)}` });
    await arrive(page, `/${home}/sites`);
    const switcher = page.getByRole('button', { name: 'Switch organization' });
    await switcher.click();
    await page.getByRole('button', { name: /^Rivers/ }).click();
    await page.getByText('You are setting up billing for Rivers;').waitFor();
    expect(addressOf(page)).toBe(`/onboarding?return_to=${encodeURIComponent(`/${rivers.id}/sites`)}`);
    await waitUntilAlive(page);
    await page.getByRole('button', { name: 'Get Started' }).click();
    expect(await page.getByLabel('Company').inputValue()).toBe('Rivers');
    await switcher.click();
    await page.getByRole('button', { name: /Personal/ }).click();
    await page.waitForURL(`**/${home}/sites`);
    await switcher.click();
    await page.getByRole('button', { name: /^Rivers/ }).click();
    await page.getByText('You are setting up billing for Rivers;').waitFor();
    await setUpBillingOf(visitor, rivers.id);
    await page.getByRole('button', { name: 'Get Started' }).click();
    await page.waitForURL(`**/${rivers.id}/sites`);
  });

  it('opens nothing when the check fails, says so, and leads back once it responds', async () => {
    const visitor = await journey().visitSignedIn();
    const { page, organizationId: home } = visitor;
    await setUpBillingOf(visitor, home);
    const lakes = await makeOrganization(visitor, { name: 'Lakes', handle: `lakes-${home.slice(-8)}` });
    await setUpBillingOf(visitor, lakes.id);
    await arrive(page, `/${home}/cdn`);
    const refused = new Set(['billing.status']);
    await refuseProcedures(page, refused);
    await page.getByRole('button', { name: 'Switch organization' }).click();
    await page.getByRole('button', { name: /^Lakes/ }).click();
    await alert(page, 'Failed to load billing information').waitFor();
    expect(new URL(page.url()).pathname).toBe('/onboarding');
    refused.clear();
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.waitForURL(`**/${lakes.id}/cdn`);
    await heading(page, 'CDN').waitFor();
  });

  it('is where a refusal for lack of a card leads, and back to the form', async () => {
    const visitor = await journey().visitSignedIn();
    const { page, organizationId, api } = visitor;
    await setUpBillingOf(visitor, organizationId);
    await arrive(page, `/${organizationId}/sites?create=true`);
    const customer = objectOf(await api('GET', '/api/v1/billing/customer'));
    const card = customer.default_payment_method_id;
    requireStatus(await api('DELETE', `/api/v1/billing/payment-methods/${card}`, { json: {} }), 204);
    const panel = page.getByRole('dialog', { name: 'Create site' });
    await panel.getByLabel('Site name').fill('late');
    await panel.getByRole('button', { name: 'Create site' }).click();
    await heading(page, 'Welcome').waitFor();
    const back = encodeURIComponent(`/${organizationId}/sites?create=true`);
    expect(addressOf(page)).toBe(`/onboarding?return_to=${back}`);
    await page.getByRole('button', { name: 'Get Started' }).click();
    await expect.poll(() => page.getByLabel('City').inputValue()).toBe('Montréal');
  });

  it('tells a person who may not set up billing who can', async () => {
    const owner = await journey().visitSignedIn({ full_name: 'Grace Hopper' });
    const guest = await journey().visitSignedIn();
    const handle = `navy-${owner.organizationId.slice(-8)}`;
    const navy = await makeOrganization(owner, { name: 'Navy', handle });
    await addMember(owner, navy, guest, 'admin');
    await arrive(guest.page, `/${navy.id}/sites`);
    await heading(guest.page, 'Billing is not set up').waitFor();
    await guest.page.getByText('Ask Grace Hopper.').waitFor();
    expect(await guest.page.getByRole('button', { name: 'Get Started' }).count()).toBe(0);
    await expectAccessible(guest.page);
  });
});

describe('an organization that existed before billing', () => {
  it('is let in and told until when, and its owner can start onboarding from there', async () => {
    const { server } = journey();
    const visitor = await journey().visitSignedIn();
    const { page, organizationId } = visitor;
    server.environment.BILLING_MODE = 'off';
    await server.stop();
    await server.start();
    await arrive(page, '/onboarding');
    await heading(page, 'Hello, Ada Lovelace').waitFor();
    await arrive(page, `/${organizationId}/billing`);
    await page.getByText('Billing is off').waitFor();
    server.environment.BILLING_MODE = '';
    await server.stop();
    await server.start();
    await arrive(page, `/${organizationId}/sites`);
    await page
      .getByRole('status')
      .getByText(/^Set up billing by /)
      .waitFor();
    await expectAccessible(page);
    await arrive(page, `/${organizationId}/billing`);
    await page.getByText('This account does not have a billing customer.').waitFor();
    await expectAccessible(page);
    await page.getByRole('main').getByRole('link', { name: 'Set up billing' }).last().click();
    await page.getByRole('button', { name: 'Get Started' }).click();
    await typeAddress(page);
    await page.getByRole('button', { name: 'Continue to Payment' }).click();
    await addTestCard(page);
    await page.getByRole('link', { name: 'Go to Dashboard' }).click();
    await heading(page, 'Hello, Ada Lovelace').waitFor();
    expect(await page.getByText(/^Set up billing by /).count()).toBe(0);
  });
});
