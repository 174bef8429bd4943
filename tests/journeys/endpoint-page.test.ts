import type { Locator, Page } from 'playwright';
import { afterAll, describe, expect, it } from 'vitest';
import {
  arrive,
  expectAccessible,
  expectFits,
  expectFitsPhone,
  hideServerReturn,
  PHONE,
  startOwnJourney,
  type VisitorOptions,
} from '#tests/support/browser/journey.ts';
import {
  cardOf,
  dnsEnvironment,
  pointNowhere,
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

const visit = (hostname: string, options?: VisitorOptions) => visitEndpoint(journey(), hostname, options);
const certificate = (page: Page) => cardOf(page, 'TLS certificate');
const records = (page: Page) => cardOf(page, 'DNS records');
const fact = (page: Page, title: string) => records(page).getByRole('listitem').filter({ hasText: title });
const checkAgain = (page: Page) => page.getByRole('button', { name: 'Check again now' }).click();

/** A recent report is not inspected again. */
const checkUntil = (page: Page, words: Locator) =>
  expect
    .poll(async () => {
      await checkAgain(page);
      return words.isVisible();
    })
    .toBe(true);

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
    await expectFitsPhone(page);
    await expectFits(page, { width: 1280, height: 900 });
  });
});

describe('an endpoint of a domain', () => {
  it('says which records to set, finds them at once, and has a certificate before traffic moves', async () => {
    const at = await visit('www.{n}.example.test');
    const { page, path, endpoint } = at;
    const { hostname, cname_target } = endpoint;
    const { challenge_name, challenge_target } = at.bundle;
    setElsewhere(zone, hostname);
    await arrive(page, path);
    await certificate(page).getByText('Pending', { exact: true }).waitFor();
    const toSet = records(page).getByRole('list', { name: 'CNAME record of the challenge' });
    await toSet.getByText(challenge_name).waitFor();
    await toSet.getByText(challenge_name.replace('.example.test', ''), { exact: true }).waitFor();
    await toSet.getByRole('button', { name: 'Copy the value' }).click();
    const copied = page.getByText('Copied', { exact: true });
    await copied.first().waitFor({ state: 'attached' });
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(challenge_target);
    await expect.poll(() => copied.count()).toBe(0);
    await fact(page, 'Certificate challenge').getByText('Missing').waitFor();
    expect(await page.getByText(challenge_target, { exact: true }).count(), 'each record once').toBe(1);
    await fact(page, 'Certificate challenge')
      .getByText(`There is no such record at ${challenge_name} yet.`, { exact: false })
      .waitFor();
    await fact(page, 'Traffic').getByText(`${hostname} points elsewhere.`).waitFor();
    await fact(page, 'Traffic').getByText('CNAME old-host.test').waitFor();
    await page.getByText(/^Checked (now|\d+ seconds? ago)$/).waitFor();
    await pointNowhere(page);
    await expectAccessible(page);
    await expectFitsPhone(page);

    const dead = page.getByRole('button', { name: 'Visit', exact: true });
    expect(await dead.getAttribute('aria-disabled')).toBe('true');
    await dead.hover();
    await page
      .getByRole('tooltip')
      .getByText('Available once a DNS record proves', { exact: false })
      .waitFor();

    const validate = certificate(page).getByRole('button', { name: 'Validate and issue' });
    await validate.click();
    const failure = certificate(page).getByRole('alert');
    await failure.getByText('Failed to validate DNS or issue certificate').waitFor();
    await failure
      .getByText(`The record ${challenge_name} does not point to ${challenge_target} yet.`, { exact: false })
      .waitFor();
    await failure.getByRole('button').click();
    await failure.waitFor({ state: 'hidden' });

    zone.set(challenge_name, { cname: 'somebody-else.test' });
    await checkUntil(page, fact(page, 'Certificate challenge').getByText('Wrong'));
    await fact(page, 'Certificate challenge').getByText('CNAME somebody-else.test').waitFor();
    zone.set(challenge_name, { cname: challenge_target });
    await validate.click();
    await certificate(page).getByText('DNS validated and certificate issued').waitFor();
    await certificate(page).getByText('Active', { exact: true }).waitFor();
    await certificate(page)
      .getByText(/^Valid until/)
      .waitFor();
    await fact(page, 'Certificate challenge').getByText('Correct').waitFor();
    expect(
      await page.getByText(cname_target, { exact: true }).count(),
      'its record and the DNS hostname',
    ).toBe(2);

    const safe = page.getByRole('status').filter({ hasText: 'Safe to switch' });
    await safe.getByText(cname_target).waitFor();
    expect(await records(page).getByText('Wrong').count()).toBe(0);
    await page.getByText('Ready to switch').waitFor();
    await page.getByRole('link', { name: 'Visit (opens in a new tab)', exact: true }).waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    zone.set(hostname, { cname: cname_target });
    await checkUntil(page, records(page).getByText('All records are correct.'));
    expect(await records(page).getByRole('listitem').count(), 'all is well: one line').toBe(0);
    await records(page).getByRole('button', { name: 'Show the records' }).click();
    await fact(page, 'Traffic').getByText('Correct').waitFor();
    await safe.waitFor({ state: 'hidden' });
    await page.getByText('Live', { exact: true }).waitFor();
  });

  it('is issued by the action once the record was found', async () => {
    const at = await visit('www.{n}.example.test');
    const { challenge_name, challenge_target } = at.bundle;
    setElsewhere(zone, at.endpoint.hostname);
    zone.set(challenge_name, { cname: challenge_target });
    await arrive(at.page, at.path);
    await certificate(at.page).getByText('Validating', { exact: true }).waitFor();
    await expectAccessible(at.page);
    await certificate(at.page).getByRole('button', { name: 'Issue certificate' }).click();
    await certificate(at.page).getByText('Certificate issued successfully').waitFor();
    await certificate(at.page).getByText('Active', { exact: true }).waitFor();
  });

  it('shows an alias and the addresses at a zone’s apex, and an international name as people write it', async () => {
    const at = await visit('café-{n}.test');
    const { page, path, endpoint, organizationId } = at;
    const { hostname, cname_target, site_id } = endpoint;
    await arrive(page, path);
    const unknown = `The domain ${hostname} does not exist in the public DNS.`;
    await fact(page, 'Certificate challenge').getByText(unknown).waitFor();
    zone.set(hostname, { soa: 'ns.example.test', ipv4: ['198.51.100.7'] });
    const notYet = `There is no such record at _acme-challenge.${hostname} yet.`;
    await checkUntil(page, fact(page, 'Certificate challenge').getByText(notYet));
    await page.getByRole('heading', { level: 1, name: /^café-\d+\.test$/ }).waitFor();
    await page.getByText(hostname, { exact: true }).first().waitFor();
    const traffic = fact(page, 'Traffic');
    await traffic
      .getByText('is the domain itself, which cannot have a CNAME record', { exact: false })
      .waitFor();
    const alias = traffic.getByRole('list', { name: 'Record to set' });
    await alias.getByText('ALIAS / ANAME', { exact: true }).waitFor();
    await alias.getByText(cname_target).waitFor();
    await alias.getByText('@', { exact: true }).waitFor();
    const addresses = traffic.getByRole('list', { name: 'Addresses to set' });
    await addresses.getByText('192.0.2.10').waitFor();
    await addresses.getByText('AAAA').waitFor();
    await traffic
      .getByText('If your DNS provider supports ALIAS or ANAME records', { exact: false })
      .waitFor();

    zone.set(hostname, { soa: 'ns.example.test', ipv4: ['104.16.1.1'] });
    await checkUntil(page, traffic.getByText('is behind another network’s proxy', { exact: false }));
    await addresses.getByText('192.0.2.10').waitFor();
    for (const place of ['cdn', `sites/${site_id}`]) {
      await arrive(page, `/${organizationId}/${place}`);
      const link = page.getByRole('main').getByRole('link', { name: /^café-\d+\.test$/ });
      expect(await link.getAttribute('title')).toContain(hostname);
    }
  });
});

describe('what an endpoint leads to', () => {
  it('is changed to a redirect and back, with problems next to the field', async () => {
    const at = await visit('quay-{n}.localhost');
    const { page, api, endpoint } = at;
    await arrive(page, at.path);
    await cardOf(page, 'Origin')
      .getByRole('link', { name: String(endpoint.site_name) })
      .waitFor();
    await page.getByRole('button', { name: 'Change origin' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change origin' });
    await dialog.getByRole('radio', { name: /^Redirect/ }).click();
    await dialog.getByRole('button', { name: 'Change origin' }).click();
    await dialog.getByText('Enter the address to redirect to.').waitFor();
    await dialog.getByLabel('Redirect to').fill(`https://${endpoint.hostname}/`);
    await dialog.getByRole('button', { name: 'Change origin' }).click();
    await dialog.getByText('An endpoint cannot redirect to itself.').waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    await dialog.getByLabel('Redirect to').fill('https://elsewhere.example/news');
    await dialog.getByRole('button', { name: 'Change origin' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText(`The origin of ${endpoint.hostname} was changed`).waitFor();
    await cardOf(page, 'Origin').getByRole('link', { name: 'https://elsewhere.example/news' }).waitFor();
    const stored = objectOf(await api('GET', `/api/v1/cdn/endpoints/${endpoint.id}`));
    expect(stored).toMatchObject({
      origin_type: 'redirect',
      redirect_target: 'https://elsewhere.example/news',
    });
  });
});
