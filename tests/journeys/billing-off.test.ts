import { expect, it } from 'vitest';
import { arrive, startJourney } from '#tests/support/browser/journey.ts';

const journey = startJourney();

it('when nothing is billed, the billing page says so and no other part of billing gets in the way', async () => {
  const { page, organizationId, api } = await journey().visitSignedIn();
  expect((await api('POST', '/api/v1/sites', { json: { name: 'Free harbour' } })).status).toBe(201);
  await arrive(page, `/${organizationId}`);
  await page.getByRole('heading', { name: 'Usage this month' }).waitFor();
  expect(await page.getByText('Cost this month').count()).toBe(0);
  await page
    .getByRole('navigation', { name: 'Main navigation' })
    .getByRole('link', { name: 'Billing' })
    .click();
  await page.getByText('Billing is off').waitFor();
  await page.getByRole('heading', { name: 'Usage', exact: true }).waitFor();
  for (const name of ['Spending limits', 'Payment methods', 'Billing contact', 'Invoice history']) {
    expect(await page.getByRole('heading', { name }).count()).toBe(0);
  }
  await arrive(page, `/${organizationId}/billing/invoices/unknown`);
  await page.getByRole('heading', { level: 1, name: 'Invoice Not Found' }).waitFor();
});
