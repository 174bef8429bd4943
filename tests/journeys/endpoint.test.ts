import type { Locator, Page } from 'playwright';
import { afterAll, describe, expect, it } from 'vitest';
import {
  arrive,
  expectAccessible,
  expectFitsPhone,
  hasFocus,
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
import { startZoneServer } from '#tests/support/dns/zone-server.ts';

const zone = await startZoneServer();
afterAll(() => zone.close());
/** With jobs: everything continues automatically. */
const journey = startOwnJourney(dnsEnvironment(zone));
/** Without jobs: only what a person does happens. */
const quietJourney = startOwnJourney({ ...dnsEnvironment(zone), ROLES: 'console,edge' });

const visit = (hostname: string, options?: VisitorOptions) => visitEndpoint(journey(), hostname, options);
const visitQuietly = (hostname: string, options?: VisitorOptions) =>
  visitEndpoint(quietJourney(), hostname, options);
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

describe('an endpoint of this machine', () => {
  it('gets its certificate automatically, and is deleted after a question that names it', async () => {
    const at = await visit('quay-{n}.localhost');
    const { page, path, organizationId, endpoint } = at;
    await arrive(page, path);
    const { hostname } = endpoint;
    await page.getByRole('heading', { level: 1, name: hostname }).waitFor();
    expect(await page.title()).toBe(`${hostname} · Portage`);
    await certificate(page).getByText('Active', { exact: true }).waitFor();
    await certificate(page)
      .getByText(/^Valid until \w+ \d+, \d{4}$/)
      .waitFor();
    await certificate(page).getByText('This installation', { exact: true }).waitFor();
    await records(page)
      .getByText(/No record is needed/)
      .waitFor();
    const root = page.getByRole('link', { name: 'download the root certificate' });
    const pem = await at.api('GET', String(await root.getAttribute('href')));
    expect(requireStatus(pem, 200).text).toContain('BEGIN CERTIFICATE');
    const visitLink = page.getByRole('link', { name: 'Visit (opens in a new tab)', exact: true });
    await expect.poll(() => visitLink.getAttribute('href')).toMatch(new RegExp(`^https://${hostname}`));
    await expectAccessible(page);

    const askToDelete = async () => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete endpoint' }).click();
    };
    const question = page.getByRole('dialog', { name: `Delete ${hostname}?` });
    await askToDelete();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'hidden' });
    await askToDelete();
    await question.getByRole('button', { name: 'Delete endpoint' }).click();
    await page.waitForURL(`**/${organizationId}/cdn`);
    await page.getByText(`${hostname} was deleted`).waitFor();
    await arrive(page, path);
    await page.getByRole('heading', { level: 1, name: 'CDN endpoint not found' }).waitFor();
    expect(await page.title()).toBe('CDN endpoint not found · Portage');
    await page.getByRole('link', { name: 'Back to CDN' }).click();
    await page.waitForURL(`**/${organizationId}/cdn`);
  });
});

describe('a hostname that another organization holds without proof', () => {
  it('is claimed by the dialog itself as soon as its record is found, which says meanwhile what it waits for', async () => {
    const hostname = 'contested.example.test';
    zone.set('example.test', { soa: 'ns.example.test' });
    const squatter = await visit(hostname);
    const { page, api, organizationId } = await journey().visitSignedIn();
    const created = await api('POST', '/api/v1/sites', { json: { name: 'Rightful' } });
    const site = objectOf(requireStatus(created, 201));
    await arrive(page, `/${organizationId}/cdn?create=true`);
    const form = page.getByRole('dialog', { name: 'Add endpoint' });
    await form.getByLabel('Hostname').fill(hostname);
    await form.getByRole('combobox', { name: 'Site' }).click();
    await page.getByRole('option', { name: 'Rightful' }).click();
    await form.getByRole('button', { name: 'Add endpoint' }).click();
    await form.getByText(/the hostname is yours as soon as we see the record/).waitFor();
    await form.getByText(/^Not found yet/).waitFor();
    await expectAccessible(page);
    // As shown in the table, wrapped at its dots.
    const refused = await api('POST', '/api/v1/cdn/endpoints', { json: { hostname, site_id: site.id } });
    const value = String(JSON.parse(requireStatus(refused, 409).text).params.target);
    const shown = form.getByRole('list', { name: 'Record that proves the hostname' });
    await expect.poll(() => shown.textContent()).toContain(value);
    await form.getByRole('button', { name: 'Check now' }).click();
    await form.getByText(/^Not found yet/).waitFor();

    const challenge = `_acme-challenge.${hostname}`;
    zone.set(challenge, { failure: 'timeout' });
    await form.getByText(/^The DNS lookup got no answer/).waitFor();
    zone.set(challenge, { cname: value });
    await page.waitForURL(`**/${organizationId}/endpoints/*`);
    await page.getByRole('heading', { level: 1, name: hostname }).waitFor();
    await arrive(squatter.page, squatter.path);
    await squatter.page.getByRole('heading', { level: 1, name: 'CDN endpoint not found' }).waitFor();
  });

  it('speaks French, and stops waiting once something else is typed', async () => {
    const hostname = 'dispute.example.test';
    zone.set('example.test', { soa: 'ns.example.test' });
    await visit(hostname);
    const { page, api, organizationId } = await journey().visitSignedIn({ locale: 'fr-CA' });
    requireStatus(await api('POST', '/api/v1/sites', { json: { name: 'Rightful too' } }), 201);
    await arrive(page, `/${organizationId}/cdn?create=true`);
    const form = page.getByRole('dialog');
    await form.getByRole('textbox').first().fill(hostname);
    await form.getByRole('combobox').click();
    await page.getByRole('option', { name: 'Rightful too' }).click();
    await form.locator('button[type=submit]').click();
    await form.getByText(/^Pas encore trouvé/).waitFor();
    await form.getByRole('button', { name: 'Vérifier maintenant' }).waitFor();
    await form.getByRole('textbox').first().fill('autre.example.test');
    await form.getByText(/^Pas encore trouvé/).waitFor({ state: 'hidden' });
  });
});

describe('an endpoint of a domain', () => {
  it('says which records to set, finds them at once, and has a certificate before traffic moves', async () => {
    const at = await visitQuietly('www.{n}.example.test');
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
    const at = await visitQuietly('www.{n}.example.test');
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

  it('becomes active while its page is open', async () => {
    const at = await visit('www.{n}.example.test');
    const { challenge_name, challenge_target } = at.bundle;
    setElsewhere(zone, at.endpoint.hostname);
    await arrive(at.page, at.path);
    await certificate(at.page).getByText('Pending', { exact: true }).waitFor();
    zone.set(challenge_name, { cname: challenge_target });
    await certificate(at.page).getByText('Active', { exact: true }).waitFor();
    await at.page.getByRole('status').filter({ hasText: 'Safe to switch' }).waitFor();
  });

  it('shows an alias and the addresses at a zone’s apex, and an international name as people write it', async () => {
    const at = await visitQuietly('café-{n}.test');
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
    const at = await visitQuietly('quay-{n}.localhost');
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

  it('is https only for as long as was chosen, a year only after a question', async () => {
    const at = await visit('quay-{n}.localhost');
    const { page, api, endpoint } = at;
    await arrive(page, at.path);
    await certificate(page).getByText('Active', { exact: true }).waitFor();
    const hsts = async () => objectOf(await api('GET', `/api/v1/cdn/endpoints/${endpoint.id}`)).hsts;
    const choice = cardOf(page, 'HTTPS only (HSTS)');
    await choice.getByText('One day').click();
    await expect.poll(hsts).toBe('day');
    await choice.getByText('One year').click();
    const question = page.getByRole('dialog', { name: 'HTTPS only for a year?' });
    await question.getByText(endpoint.hostname).waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'hidden' });
    expect(await hsts()).toBe('day');
    await expect.poll(() => hasFocus(choice.getByRole('radio', { name: 'One year' }))).toBe(true);
    await choice.getByText('One year').click();
    await question.getByRole('button', { name: 'Use HTTPS only' }).click();
    await expect.poll(hsts).toBe('year');
  });
});
