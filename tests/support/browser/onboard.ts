import type { Page } from 'playwright';
import { setUpBillingByRest } from '../billing/rest-billing.ts';
import { arrive, type Journey, type SignedInVisitor } from './journey.ts';

/** What a person types into the setup form, by the page's labels. */
const ADDRESS = {
  'en-CA': {
    'Address line 1': '1 rue Sainte-Catherine',
    City: 'Montréal',
    'Postal code': 'h2x1k4',
  },
  'fr-CA': {
    'Adresse, ligne 1': '1, rue Sainte-Catherine',
    Ville: 'Montréal',
    'Code postal': 'h2x1k4',
  },
} as const;

/** Types an address in Quebec into the setup form; name and email address are prefilled. */
export async function typeAddress(page: Page, locale: keyof typeof ADDRESS = 'en-CA'): Promise<void> {
  for (const [label, value] of Object.entries(ADDRESS[locale])) await page.getByLabel(label).fill(value);
  await page.getByLabel('Province').selectOption('QC');
}

/** Sets up billing of an organization over HTTP, with a test card. */
export function setUpBillingOf({ api }: SignedInVisitor, organizationId: string): Promise<void> {
  const headers = { 'portage-organization': organizationId };
  return setUpBillingByRest((method, path, options) => api(method, path, { ...options, headers }));
}

export const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true });

/** Opens the card step for a person whose contact already exists. */
export async function visitCardStep(journey: Journey): Promise<SignedInVisitor> {
  const visitor = await journey.visitSignedIn();
  await arrive(visitor.page, '/onboarding?step=billing');
  await typeAddress(visitor.page);
  await visitor.page.getByRole('button', { name: 'Continue to Payment' }).click();
  await visitor.page.getByLabel('Card number').waitFor();
  return visitor;
}

/** Enters the sandbox's card in the card step. */
export async function addTestCard(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Fill in a test card' }).click();
  await page.getByRole('button', { name: 'Add Card' }).click();
  await heading(page, 'All Set!').waitFor();
}
