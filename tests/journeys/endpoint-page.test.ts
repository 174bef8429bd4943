import type { Page } from 'playwright';
import { afterAll, describe, expect, it } from 'vitest';
import {
  arrive,
  expectAccessible,
  expectFits,
  expectFitsPhone,
  hideServerReturn,
  PHONE,
  startOwnJourney,
} from '#tests/support/browser/journey.ts';
import {
  cardOf,
  dnsEnvironment,
  setElsewhere,
  visitEndpoint,
} from '#tests/support/browser/visit-endpoint.ts';
import { requireStatus } from '#tests/support/client/deploy-client.ts';
import { objectOf } from '#tests/support/client/rest-client.ts';
import { registerAndSignIn } from '#tests/support/client/sign-in.ts';
import { startZoneServer } from '#tests/support/dns/zone-server.ts';
import { insertNamedOrganization, suspendOrganization } from '#tests/support/server/server-database.ts';

const zone = await startZoneServer();
afterAll(() => zone.close());
/** Without jobs: only what a person does happens. */
const journey = startOwnJourney({ ...dnsEnvironment(zone), ROLES: 'console,edge' });

const certificate = (page: Page) => cardOf(page, 'TLS certificate');
const fact = (page: Page, title: string) =>
  cardOf(page, 'DNS records').getByRole('listitem').filter({ hasText: title });

describe('the page of an endpoint', () => {
  it('shows everything to a reader, with the reason why nothing can be changed, and to a suspended organization', async () => {
    const { server, visitSignedIn } = journey();
    const owner = await visitSignedIn();
    const reader = await registerAndSignIn(server.consoleUrl);
    const organizationId = await insertNamedOrganization(server, {
      name: 'Harbour',
      members: { [owner.person.account.email]: 'owner', [reader.account.email]: 'read' },
    });
    const headers = { 'portage-organization': organizationId };
    const json = {
      hostname: 'www.harbour.example.test',
      origin_type: 'redirect',
      redirect_target: 'https://example.ca',
    };
    const created = requireStatus(await owner.api('POST', '/api/v1/cdn/endpoints', { json, headers }), 201);
    const path = `/${organizationId}/endpoints/${objectOf(created).id}`;
    const { page } = await visitSignedIn({ person: reader });
    await arrive(page, path);
    const validate = certificate(page).getByRole('button', { name: 'Validate and issue' });
    expect(await validate.getAttribute('aria-disabled')).toBe('true');
    await certificate(page).getByText('You need the Write permission in this organization.').waitFor();
    const change = page.getByRole('button', { name: 'Change origin' });
    expect(await change.getAttribute('aria-disabled')).toBe('true');
    await fact(page, 'Certificate challenge').getByText('Missing').waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    const remove = page.getByRole('menuitem', { name: 'Delete endpoint' });
    expect(await remove.getAttribute('aria-disabled')).toBe('true');
    await page.getByText('You need the Admin permission in this organization.').waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);

    await suspendOrganization(server, organizationId, 'The invoice of March was not paid.');
    await arrive(owner.page, path);
    await owner.page.getByText('Suspended', { exact: true }).waitFor();
    const reason = 'This organization is suspended: The invoice of March was not paid.';
    await certificate(owner.page).getByText(reason).waitFor();
  });

  it('says why it could not be loaded, with a link back and Retry', async () => {
    const at = await visitEndpoint(journey(), 'quay-{n}.localhost', {
      provoked: /^TRPCClientError: Failed to fetch/,
    });
    const { page, endpoint, organizationId } = at;
    await arrive(page, `/${organizationId}/cdn`);
    let isDown = true;
    await hideServerReturn(page);
    await page.route('**/api/trpc/**', (route) => (isDown ? route.abort() : route.continue()));
    await page.getByRole('link', { name: endpoint.hostname }).first().click();
    await page.getByRole('alert').getByText('The server cannot be reached.', { exact: false }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Back to CDN' }).waitFor();
    await expectAccessible(page);
    isDown = false;
    expect(await page.title()).toBe('CDN · Portage');
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('heading', { level: 1, name: endpoint.hostname }).waitFor();
  });

  it('speaks French from the first paint, with the longest hostname, on a phone', async () => {
    const label = 'a'.repeat(63);
    const at = await visitEndpoint(journey(), `{n}.${label}.${label}.example.test`, {
      locale: 'fr-CA',
      viewport: PHONE,
    });
    const { page, endpoint } = at;
    setElsewhere(zone, endpoint.hostname);
    await arrive(page, at.path);
    await page.getByRole('heading', { level: 2, name: 'Certificat TLS' }).waitFor();
    await page.getByText('En attente', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Valider et émettre' }).click();
    await page.getByText('Impossible de valider le DNS ou d’émettre le certificat').waitFor();
    await cardOf(page, 'Enregistrements DNS').getByText('Manquant').first().waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    await expectFits(page, { width: 1280, height: 900 });
  });
});
