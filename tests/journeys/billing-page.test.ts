import type { Locator, Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { TEST_CARDS } from '#tests/support/billing/billing.ts';
import { billMonth, chargeInvoices, setUpServerBilling } from '#tests/support/billing/server-billing.ts';
import {
  arrive,
  expectAccessible,
  expectFitsPhone,
  hasFocus,
  type SignedInVisitor,
  startOwnJourney,
  type VisitorOptions,
} from '#tests/support/browser/journey.ts';
import { refuseProcedures } from '#tests/support/browser/refuse-procedures.ts';
import { cardOf } from '#tests/support/browser/visit-endpoint.ts';
import { waitUntilAlive } from '#tests/support/browser/wait-until-alive.ts';
import { changePermission, insertOrganization } from '#tests/support/server/server-database.ts';

const journey = startOwnJourney({
  BILLING_MODE: 'sandbox',
  TAX_REGISTRATIONS: 'GST:123456789RT0001,QST:1234567890TQ0001',
});
const MASTERCARD = '5555555555554444';

/** Signs in a person whose organization pays with these cards, and opens the billing page. */
async function visitBilling(
  cards: readonly string[],
  options: VisitorOptions = {},
): Promise<SignedInVisitor> {
  const visitor = await journey().visitSignedIn(options);
  await setUpServerBilling(journey().server, visitor.organizationId, cards);
  await arrive(visitor.page, `/${visitor.organizationId}/billing`);
  return visitor;
}

/** The card that ends in these digits. */
const method = (page: Page, last4: string): Locator => page.getByRole('listitem').filter({ hasText: last4 });

const WORDS = {
  'en-CA': {
    default: 'Default',
    setDefault: 'Set as default: Mastercard ending in 4444',
    remove: (name: string) => `Remove: ${name}`,
    ending: 'ending in',
    sure: 'Are you sure you want to remove this payment method?',
    confirm: 'Remove',
    cancel: 'Cancel',
    only: 'It is the only one',
    none: 'There is no card yet.',
  },
  'fr-CA': {
    default: 'Par défaut',
    setDefault: 'Définir par défaut : Mastercard se terminant par 4444',
    remove: (name: string) => `Retirer : ${name}`,
    ending: 'se terminant par',
    sure: 'Voulez-vous vraiment retirer ce mode de paiement?',
    confirm: 'Retirer',
    cancel: 'Annuler',
    only: 'C’est le seul',
    none: 'Il n’y a aucune carte.',
  },
} as const;

describe('the cards of an organization', () => {
  it.each(['en-CA', 'fr-CA'] as const)('have another default, and are removed, in %s', async (locale) => {
    const words = WORDS[locale];
    const { page, organizationId } = await visitBilling([TEST_CARDS.works, MASTERCARD], { locale });
    await method(page, '4242').getByText(words.default, { exact: true }).waitFor();
    await page.getByRole('button', { name: words.setDefault }).click();
    await method(page, '4444').getByText(words.default, { exact: true }).waitFor();
    expect(await method(page, '4242').getByText(words.default, { exact: true }).count()).toBe(0);

    const removeDefault = page.getByRole('button', { name: words.remove(`Mastercard ${words.ending} 4444`) });
    await removeDefault.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(words.sure).waitFor();
    await dialog.getByRole('button', { name: words.cancel }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await method(page, '4444').count()).toBe(1);
    await removeDefault.click();
    await dialog.getByRole('button', { name: words.confirm, exact: true }).click();
    // The remaining one becomes the default.
    await method(page, '4242').getByText(words.default, { exact: true }).waitFor();
    expect(await method(page, '4444').count()).toBe(0);

    await page.getByRole('button', { name: words.remove(`Visa ${words.ending} 4242`) }).click();
    await dialog.getByText(words.only, { exact: false }).waitFor();
    await dialog.getByRole('button', { name: words.confirm, exact: true }).click();
    await page.getByText(words.none, { exact: false }).waitFor();
    // Without a card, the console first leads to adding one.
    await page.goto(`/${organizationId}/sites`);
    await page.waitForURL('**/onboarding*');
  });

  it('are added with the provider’s form, next to existing ones', async () => {
    const { page } = await visitBilling([TEST_CARDS.works]);
    await page.getByRole('button', { name: 'Add card', exact: true }).click();
    const form = page.getByRole('form', { name: 'Add card' });
    await form.getByRole('button', { name: 'Fill in a test card' }).click();
    await form.getByRole('button', { name: 'Add Card' }).click();
    await form.waitFor({ state: 'hidden' });
    await expect.poll(() => page.getByRole('listitem').filter({ hasText: 'ending in' }).count()).toBe(2);
    expect(await page.getByText('Default', { exact: true }).count()).toBe(1);
  });
});

describe('the billing page', () => {
  it('shows usage, the contact, the cards and the invoices, in this order', async () => {
    const { page } = await visitBilling([TEST_CARDS.works]);
    const headings = await page.getByRole('heading', { level: 2 }).allInnerTexts();
    const specified = ['Usage', 'Billing contact', 'Payment methods', 'Invoice history'];
    expect(headings.filter((heading) => specified.includes(heading))).toEqual(specified);
  });

  it('says that it is a sandbox', async () => {
    const { page } = await visitBilling([]);
    await page.getByRole('note').getByText('Sandbox: no money moves').waitFor();
  });

  it('saves the contact, and confirms it for three seconds', async () => {
    const { page } = await visitBilling([TEST_CARDS.works]);
    const form = page.getByRole('form', { name: 'Billing contact' });
    expect(await form.getByRole('button', { name: 'Cancel' }).count()).toBe(0);
    await form.getByLabel('Company').fill('Difference Engines');
    await form.getByRole('button', { name: 'Update Billing Contact' }).click();
    const saved = page.getByText('Billing contact information updated successfully');
    await saved.waitFor();
    await saved.waitFor({ state: 'detached' });
    await page.reload();
    expect(await form.getByLabel('Company').inputValue()).toBe('Difference Engines');
  });

  it('says what an unpaid invoice needs', async () => {
    const { page, organizationId, api, person } = await visitBilling([TEST_CARDS.declinesLater]);
    const { server } = journey();
    expect(
      (await api('POST', '/api/v1/sites', { json: { name: `Quay ${organizationId.slice(-8)}` } })).status,
    ).toBe(201);
    // Until the end of this month, there is nothing to bill.
    await page.getByText('No invoices yet').waitFor();
    await expectAccessible(page);
    const now = new Date();
    await billMonth(server, organizationId, { year: now.getUTCFullYear(), month: now.getUTCMonth() + 1 });
    await chargeInvoices(server);
    await page.reload();
    const problem = page.getByRole('alert').filter({ hasText: 'could not be charged' });
    await problem.getByText('Your card was declined.', { exact: false }).waitFor();
    expect(await problem.getByRole('link').getAttribute('href')).toContain('/hosted');
    const row = page.getByRole('table', { name: 'Invoice history' }).locator('tbody tr');
    expect(await row.getByText('Open', { exact: true }).count()).toBe(1);
    await expectAccessible(page);
    await expectFitsPhone(page);

    // Who does not look at the billing page hears of it on the dashboard, and only there.
    await arrive(page, `/${organizationId}`);
    await problem.getByText('Your card was declined.', { exact: false }).waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    await problem.getByRole('link', { name: 'Payment methods' }).click();
    await page.waitForURL(`**/${organizationId}/billing`);
    await problem.waitFor();
    expect(await problem.count()).toBe(1);
    await arrive(page, `/${organizationId}/sites`);
    await page.getByRole('heading', { level: 1, name: 'Sites' }).waitFor();
    expect(await problem.count()).toBe(0);

    // It is not the card of a member who may not change it.
    await changePermission(server, organizationId, person.account.email, 'admin');
    await arrive(page, `/${organizationId}/billing`);
    await problem.getByText('The card was declined. An owner can', { exact: false }).waitFor();
  });

  it('says what could not be loaded, and retries', async () => {
    const { page, organizationId } = await visitBilling([TEST_CARDS.works]);
    await arrive(page, `/${organizationId}/credentials`);
    const refused = new Set(['billing.customer', 'billing.invoices', 'billing.cost']);
    await refuseProcedures(page, refused);
    await page
      .getByRole('navigation', { name: 'Main navigation' })
      .getByRole('link', { name: 'Billing' })
      .click();
    for (const text of [
      'Failed to load billing information',
      'Failed to load invoices',
      'Failed to load the cost of this month',
    ]) {
      await page.getByRole('alert').filter({ hasText: text }).waitFor();
    }
    await expectAccessible(page);
    refused.clear();
    for (const text of ['Failed to load billing information', 'Failed to load invoices']) {
      await page.getByRole('alert').filter({ hasText: text }).getByRole('button', { name: 'Retry' }).click();
    }
    await method(page, '4242').waitFor();
    await page.getByText('No invoices yet').waitFor();
  });

  it('shows members everything, and lets only owners change it', async () => {
    const { server } = journey();
    const { page, person } = await journey().visitSignedIn();
    const organizationId = await insertOrganization(server, {
      name: 'River Maps',
      email: person.account.email,
      permission: 'read',
    });
    await setUpServerBilling(server, organizationId);
    await arrive(page, `/${organizationId}/billing`);
    await cardOf(page, 'Billing contact').getByText('ada@example.ca').waitFor();
    expect(await page.getByRole('button', { name: 'Update Billing Contact' }).count()).toBe(0);
    for (const name of ['Add card', 'Remove: Visa ending in 4242', 'Set a limit']) {
      const button = page.getByRole('button', { name, exact: true });
      expect(await button.getAttribute('aria-disabled')).toBe('true');
    }
    await page.getByText('You need the Owner permission in this organization.').first().waitFor();
    // An address with the panel open opens nothing for them.
    await arrive(page, `/${organizationId}/billing?limit=new`);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await expectAccessible(page);
  });
});

it('adding a card returns the focus to its button when it is cancelled', async () => {
  const { page } = await visitBilling([TEST_CARDS.works]);
  const add = page.getByRole('button', { name: 'Add card', exact: true });
  await add.click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect.poll(() => hasFocus(add)).toBe(true);
});

describe('the billing contact', () => {
  it('is restored after a reload if it was not saved, including tax numbers', async () => {
    const { page } = await visitBilling([TEST_CARDS.works]);
    const contact = page.getByRole('form', { name: 'Billing contact' });
    await contact.getByLabel('Company').fill('Rivers Ltd');
    await contact.getByRole('button', { name: 'Add tax ID' }).click();
    await contact.getByLabel('Type of tax ID').selectOption('GST');
    await contact.getByLabel('Tax number').fill('123456789 RT0001');
    await page.reload();
    await waitUntilAlive(page);
    await expect.poll(() => contact.getByLabel('Company').inputValue()).toBe('Rivers Ltd');
    expect(await contact.getByLabel('Tax number').inputValue()).toBe('123456789 RT0001');
    await contact.getByRole('button', { name: 'Update Billing Contact' }).click();
    await page.getByText('Billing contact information updated successfully').waitFor();
    await page.reload();
    await waitUntilAlive(page);
    expect(await contact.getByLabel('Company').inputValue()).toBe('Rivers Ltd');
  });

  it('tells members the country and the tax numbers in their language', async () => {
    const { server } = journey();
    const { page, person } = await journey().visitSignedIn({ locale: 'fr-CA' });
    const { email } = person.account;
    const organizationId = await insertOrganization(server, { name: 'Rives', email, permission: 'read' });
    const tax_ids = { QST: '1234567890TQ0001', GST: '123456789RT0001' };
    await setUpServerBilling(server, organizationId, [TEST_CARDS.works], { tax_ids });
    await arrive(page, `/${organizationId}/billing`);
    const contact = cardOf(page, 'Personne-ressource pour la facturation');
    expect(await contact.getByRole('term').allTextContents()).toEqual([
      'Nom de la personne-ressource',
      'Courriel de facturation',
      'Entreprise',
      'Adresse',
      'Pays',
      'TPS',
      'TVQ',
    ]);
    expect((await contact.getByRole('definition').allTextContents()).slice(4)).toEqual([
      'Canada',
      '123456789RT0001',
      '1234567890TQ0001',
    ]);
  });
});
