import { expect, it } from 'vitest';
import {
  arrive,
  expectAccessible,
  expectFitsPhone,
  hasFocus,
  startOwnJourney,
} from '#tests/support/browser/journey.ts';
import { LOCAL_WEBHOOKS, startWebhookReceiver } from '#tests/support/webhooks/webhook-receiver.ts';

const journey = startOwnJourney(LOCAL_WEBHOOKS);

it('a webhook is created, tested, paused and deleted, and its log shows what arrived and what did not', async () => {
  const { page, organizationId } = await journey().visitSignedIn();
  const receiver = await startWebhookReceiver();
  await arrive(page, `/${organizationId}/credentials`);
  await page.getByRole('main').getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('heading', { level: 2, name: 'No webhooks yet' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create webhook' }).click();
  const dialog = page.getByRole('dialog');
  await expect.poll(() => hasFocus(dialog.getByLabel('Address'))).toBe(true);
  await dialog.getByLabel('Address').fill('not an address');
  await dialog.getByRole('button', { name: 'Create webhook' }).click();
  await dialog.getByText('Enter an address that begins with https://').waitFor();
  await dialog.getByLabel('Address').fill(receiver.url);
  await dialog.getByLabel('Description').fill('Chat room');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Create webhook' }).click();
  await page.getByRole('button', { name: 'Copy secret' }).click();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await page.getByRole('link', { name: 'Chat room' }).click();
  await page.getByRole('heading', { level: 1, name: 'Chat room' }).waitFor();
  await page.getByRole('button', { name: 'Send test event' }).click();
  const log = page.getByRole('list', { name: 'Log' });
  await log.getByText('Delivered', { exact: true }).first().waitFor();
  expect(receiver.received).toHaveLength(1);
  receiver.state.answer = (response) => {
    response.statusCode = 500;
    response.end('out of order');
  };
  await page.getByRole('button', { name: 'Send test event' }).click();
  await page.getByText('Some deliveries fail').waitFor();
  await page.getByText(/have failed since [A-Z][a-z]+ \d+, \d{4} at .+ UTC\./).waitFor();
  await log.getByText('Details').first().click();
  await log.getByText('out of order').first().waitFor();
  await expectAccessible(page);
  await expectFitsPhone(page);
  // Which part of the log is open stands in the address.
  await page.getByText('Waiting', { exact: true }).first().click();
  await expect.poll(() => log.getByText('Details').count()).toBe(1);
  await arrive(page, page.url());
  await expect.poll(() => page.getByRole('radio', { name: 'Waiting' }).isChecked()).toBe(true);
  await page.getByText('All', { exact: true }).click();
  await log.getByText('Details').first().click();
  receiver.state.answer = (response) => response.end('thanks');
  await log.getByRole('button', { name: 'Deliver now' }).click();
  await expect.poll(() => log.getByText('Delivered', { exact: true }).count()).toBeGreaterThanOrEqual(2);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete webhook' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete webhook' }).click();
  await page.getByRole('heading', { level: 2, name: 'No webhooks yet' }).waitFor();
});

it('webhooks speak French', async () => {
  const { page, api, organizationId } = await journey().visitSignedIn({ locale: 'fr-CA' });
  const created = await api('POST', '/api/v1/webhooks', {
    json: { url: 'https://crochets.example.ca/portage', events: ['invoice.paid'] },
  });
  expect(created.status).toBe(201);
  await arrive(page, `/${organizationId}/webhooks`);
  await page.getByText('rien de livré pour l’instant').waitFor();
  await page.getByRole('link', { name: 'https://crochets.example.ca/portage' }).click();
  await page.getByRole('button', { name: 'Envoyer un essai' }).waitFor();
  await expectFitsPhone(page);
});
