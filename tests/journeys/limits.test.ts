import { expect, it } from 'vitest';
import {
  arrive,
  expectAccessible,
  expectFitsPhone,
  PHONE,
  startOwnJourney,
} from '#tests/support/browser/journey.ts';
import { makeOrganization } from '#tests/support/browser/organizations.ts';
import { objectOf } from '#tests/support/client/rest-client.ts';

const journey = startOwnJourney({ ROLES: 'console', LIMIT_SITES: '1', LIMIT_MEMBERS: '1' });

it('limits show their use, say when one is reached, and a site says what it would lose', async () => {
  const visitor = await journey().visitSignedIn({ scheme: 'dark' });
  const { page, organizationId, api } = visitor;
  const site = objectOf(await api('POST', '/api/v1/sites', { json: { name: 'only' } }));
  await arrive(page, `/${organizationId}/sites`);
  await page.getByRole('status').getByText('A limit is reached').waitFor();
  await page.getByText('1 of 1').waitFor();
  await expectAccessible(page);
  // It comes with the page, so that it moves nothing that is read.
  const html = await (await page.request.get(`/${organizationId}/sites`)).text();
  expect(html).toContain('A limit is reached');
  await arrive(page, `/${organizationId}/usage`);
  await page.getByRole('heading', { name: 'Limits', exact: true }).waitFor();
  await page.getByText('0 B of 50.00 GB').waitFor();
  await expectAccessible(page);
  await arrive(page, `/${organizationId}/sites/${String(site.id)}`);
  await page.getByLabel('Newest versions kept').fill('5');
  await page.getByText('Nothing would be removed now.').waitFor();
  const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Old versions' }) });
  await card.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Settings saved').waitFor();
  await expectAccessible(page);
  const changed = objectOf(await api('GET', `/api/v1/sites/${String(site.id)}`));
  expect(changed).toMatchObject({ keep_versions: 5, keep_days: 90 });

  const lakes = await makeOrganization(visitor, { name: 'Lakes', handle: 'lakes' });
  await arrive(page, `${lakes.path}?tab=members`);
  await page.getByRole('status').getByText('Remove members who no longer need access.').waitFor();
  await expectAccessible(page);

  const { page: phone } = await journey().visitSignedIn({
    person: visitor.person,
    viewport: PHONE,
    locale: 'fr-CA',
  });
  await arrive(phone, `/${organizationId}/usage`);
  await phone.getByRole('heading', { name: 'Limites', exact: true }).waitFor();
  await expectFitsPhone(phone);
  await arrive(phone, `/${organizationId}/sites/${String(site.id)}`);
  await phone.getByLabel('Jours conservés').waitFor();
  await expectFitsPhone(phone);
});
