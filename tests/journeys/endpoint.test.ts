import type { Page } from 'playwright';
import { afterAll, describe, expect, it } from 'vitest';
import {
  arrive,
  expectAccessible,
  hasFocus,
  startOwnJourney,
  type VisitorOptions,
} from '#tests/support/browser/journey.ts';
import {
  cardOf,
  dnsEnvironment,
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

const visit = (hostname: string, options?: VisitorOptions) => visitEndpoint(journey(), hostname, options);
const certificate = (page: Page) => cardOf(page, 'TLS certificate');
const records = (page: Page) => cardOf(page, 'DNS records');

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
});

describe('what an endpoint leads to', () => {
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
