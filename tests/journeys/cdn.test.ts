import type { Page } from 'playwright';
import { afterAll, describe, expect, it } from 'vitest';
import { DAY_MS } from '#server/durations.ts';
import { installClock } from '#tests/support/browser/browser-windows.ts';
import {
  arrive,
  expectAccessible,
  expectFitsPhone,
  PHONE,
  startOwnJourney,
} from '#tests/support/browser/journey.ts';
import { addEndpoint, visitWithSite } from '#tests/support/browser/visit-cdn.ts';
import { listOf } from '#tests/support/client/rest-client.ts';
import { destinationFor } from '#tests/support/client/sign-in.ts';
import { startZoneServer } from '#tests/support/dns/zone-server.ts';
import {
  changeEndpoint,
  ENDPOINT_TARGET,
  insertEndpoint,
  insertNamedOrganization,
} from '#tests/support/server/server-database.ts';

/** The page of an endpoint has its records inspected: what they are is up to the test. */
const zone = await startZoneServer();
afterAll(() => zone.close());
const journey = startOwnJourney({ DNS_RESOLVERS: zone.address });
const NOBODY = '01jzzzzzzzzzzzzzzzzzzzzzzz';

const rowOf = (page: Page, hostname: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name: hostname, exact: true }) });
const addressOf = (page: Page) => {
  const { pathname, search, hash } = new URL(page.url());
  return `${pathname}${search}${hash}`;
};
const historyLength = (page: Page) => page.evaluate(() => window.history.length);

describe('the list of endpoints', () => {
  it('shows the state of each certificate, on the list and on the page of its site, and follows it', async () => {
    const visitor = await visitWithSite(journey());
    const { page, cdn, mark, siteId, organizationId } = visitor;
    const { server } = journey();
    const now = Date.now();
    const found = { dns_validated_at: now, dns_challenge_validated_at: now };
    const issued = { issued_at: now - DAY_MS, valid_until: Date.UTC(2099, 1, 3) };
    const provenAt = now;
    const valid = 'Valid until Feb 3, 2099';
    const states: Record<string, { seen: [status: string, list: string, site: string]; facts: object }> = {
      none: { seen: ['Live', 'no certificate', 'no certificate'], facts: { provenAt } },
      asked: { seen: ['Waiting for DNS', 'DNS Pending', 'pending'], facts: { bundle: {} } },
      ready: { seen: ['Live', 'Ready to Issue', 'validating'], facts: { provenAt, bundle: found } },
      reached: {
        seen: ['Live', 'Ready to Issue', 'validating'],
        facts: { provenAt, bundle: { dns_validated_at: now } },
      },
      active: { seen: ['Live', valid, 'active'], facts: { provenAt, bundle: { ...found, ...issued } } },
      early: {
        seen: ['Ready to switch', valid, 'active'],
        facts: { provenAt, bundle: { ...found, ...issued, dns_validated_at: null } },
      },
      lost: {
        seen: ['Needs attention', valid, 'active'],
        facts: { provenAt, bundle: { ...found, ...issued, dns_challenge_validated_at: null } },
      },
      failing: {
        seen: ['Needs attention', valid, 'active'],
        facts: {
          provenAt,
          bundle: { ...found, ...issued, failure_code: 'caa_forbids', failed_at: now },
        },
      },
    };
    const nameOf = (state: string) => `${state}.${mark}.example`;
    zone.set(nameOf('reached'), { cname: ENDPOINT_TARGET });
    for (const [state, { facts }] of Object.entries(states)) {
      await insertEndpoint(server, { organizationId, siteId, hostname: nameOf(state), ...facts });
    }
    await installClock(page);
    await arrive(page, cdn);
    const seen = async (state: string) => {
      const cells = await rowOf(page, nameOf(state)).getByRole('cell').allTextContents();
      return cells.slice(1, 3);
    };
    for (const [state, { seen: expected }] of Object.entries(states)) {
      expect(await seen(state)).toEqual(expected.slice(0, 2));
    }
    await expectAccessible(page);
    await expectFitsPhone(page);

    await changeEndpoint(server, nameOf('asked'), {
      endpoint: { proven_at: now },
      bundle: { ...found, ...issued },
    });
    await page.clock.fastForward(16_000);
    await expect.poll(() => seen('asked')).toEqual(['Live', valid]);

    await arrive(page, `/${organizationId}/sites/${siteId}`);
    const card = page
      .locator('section')
      .filter({ has: page.getByRole('heading', { name: 'CDN endpoints' }) });
    for (const [state, { seen: expected }] of Object.entries(states)) {
      const [, , site] = state === 'asked' ? ['', '', 'active'] : expected;
      const item = card.getByRole('listitem').filter({ hasText: nameOf(state) });
      await item.getByText(site, { exact: true }).waitFor();
    }
    expect(await card.getByRole('link', { name: 'Manage CDN' }).getAttribute('href')).toBe(cdn);
    const first = card.getByRole('listitem').first().getByRole('link');
    const hostname = (await first.textContent()) ?? '';
    const visit = await page
      .getByRole('link', { name: 'Visit (opens in a new tab)', exact: true })
      .getAttribute('href');
    expect(new URL(visit ?? '').hostname).toBe(hostname);
    await first.click();
    await page.getByRole('heading', { level: 1, name: hostname }).waitFor();
    await page.goBack();
    await card.getByRole('link', { name: nameOf('reached') }).click();
    await page.getByRole('status').getByText('Validating', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Validate and issue' }).waitFor();
  });

  it('is visited from its site, which has its own address until then', async () => {
    const { page, mark, siteId, organizationId } = await visitWithSite(journey());
    const { server } = journey();
    const visited = async () => {
      await arrive(page, `/${organizationId}/sites/${siteId}`);
      const href = await page
        .getByRole('link', { name: 'Visit (opens in a new tab)', exact: true })
        .getAttribute('href');
      return new URL(href ?? '').hostname;
    };
    expect(await visited()).toMatch(/\.sites\.localhost$/);
    const [first, second] = [`a.${mark}.example`, `b.${mark}.example`];
    await insertEndpoint(server, { organizationId, siteId, hostname: first, bundle: {} });
    await insertEndpoint(server, { organizationId, siteId, hostname: second, bundle: {} });
    expect(await visited()).toBe(first);
    const now = Date.now();
    await changeEndpoint(server, second, {
      endpoint: { proven_at: now },
      bundle: { dns_validated_at: now, dns_challenge_validated_at: now, issued_at: now },
    });
    expect(await visited()).toBe(second);
  });

  it('loads hundreds on demand, and the search finds any of them', async () => {
    const { page, cdn, mark, organizationId, siteId } = await visitWithSite(journey());
    for (let index = 0; index < 120; index += 1) {
      const hostname = `n${String(index).padStart(3, '0')}.${mark}.example`;
      await insertEndpoint(journey().server, { organizationId, siteId, hostname });
    }
    await arrive(page, cdn);
    const rows = page.getByRole('row').filter({ has: page.getByRole('button') });
    expect(await rows.count()).toBe(50);
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, 20_000);
        return rows.count();
      })
      .toBe(120);
    const search = page.getByRole('searchbox', { name: 'Search endpoints' });
    await search.fill('N07');
    await expect.poll(() => rows.count()).toBe(10);
    await page.waitForURL(`**${cdn}?search=N07`);
    await search.fill('nowhere');
    await page.getByText('No endpoint matches “nowhere”.').waitFor();
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await expect.poll(() => rows.count()).toBe(120);
  });

  it('is replaced by an error, and comes back with Retry', async () => {
    const visitor = await visitWithSite(journey());
    const { page, cdn, mark, siteId } = visitor;
    const hostname = `waits.${mark}.example`;
    await addEndpoint(visitor, { hostname, site_id: siteId });
    await installClock(page);
    await arrive(page, cdn);
    await rowOf(page, hostname).waitFor();
    const json = [{ error: { json: { message: '', code: -32_600, data: {} } } }];
    const refusal = { code: 'not_found', message: '', params: {}, fields: [], request_id: null };
    Object.assign(json[0]?.error.json.data ?? {}, { httpStatus: 404, error: refusal });
    await page.route('**/api/trpc/cdn.page*', (route) => route.fulfill({ status: 404, json }));
    await page.clock.fastForward(16_000);
    await page.getByRole('alert').getByText('Error: Nothing was found at this address.').waitFor();
    expect(await rowOf(page, hostname).count()).toBe(0);
    await page.unroute('**/api/trpc/cdn.page*');
    await page.getByRole('button', { name: 'Retry' }).click();
    await rowOf(page, hostname).waitFor();
  });

  it('offers an endpoint’s actions: open, visit, copy, delete and undo', async () => {
    const visitor = await visitWithSite(journey());
    const { page, api, cdn, mark, siteId, organizationId } = visitor;
    const hostname = `fleeting.${mark}.example`;
    const endpoint = await addEndpoint(visitor, { hostname, site_id: siteId });
    // Proven, so that its records are reserved for it.
    await changeEndpoint(journey().server, hostname, { endpoint: { proven_at: Date.now() } });
    await arrive(page, cdn);
    const openMenu = async () => {
      await page.getByRole('button', { name: `Actions for ${hostname}` }).click();
      await page.getByRole('menuitem', { name: 'Delete endpoint' }).waitFor();
    };
    await openMenu();
    expect(await page.getByRole('menuitem', { name: 'Open', exact: true }).getAttribute('href')).toBe(
      `/${organizationId}/endpoints/${endpoint.id}`,
    );
    const visit = page.getByRole('menuitem', { name: 'Visit' });
    expect(new URL((await visit.getAttribute('href')) ?? '').hostname).toBe(hostname);
    await page.getByRole('menuitem', { name: 'Copy CNAME target' }).click();
    await page.getByRole('status').getByText('Copied').waitFor({ state: 'attached' });
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(endpoint.cname_target);

    await page.getByRole('menuitem', { name: 'Delete endpoint' }).click();
    const question = page.getByRole('dialog', { name: `Delete ${hostname}?` });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'hidden' });
    expect(await rowOf(page, hostname).count()).toBe(1);

    const calls = '**/api/trpc/cdn.delete*';
    await page.route(calls, (route) => route.abort(), { times: 1 });
    await openMenu();
    await page.getByRole('menuitem', { name: 'Delete endpoint' }).click();
    await question.getByRole('button', { name: 'Delete endpoint' }).click();
    await page.getByRole('alert').getByText('The server cannot be reached.').waitFor();
    expect(await rowOf(page, hostname).count()).toBe(1);

    await openMenu();
    await page.getByRole('menuitem', { name: 'Delete endpoint' }).click();
    await question.getByRole('button', { name: 'Delete endpoint' }).click();
    await page.getByText(`${hostname} was deleted`).waitFor();
    await page.getByRole('heading', { name: 'No CDN endpoints yet' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText(`${hostname} is back`).waitFor();
    await rowOf(page, hostname).waitFor();
    const [again] = listOf(await api('GET', '/api/v1/cdn/endpoints'));
    expect(again).toMatchObject({ hostname, site_id: siteId, cname_target: endpoint.cname_target });
  });

  it('disables Delete without the permission, with the reason', async () => {
    const { page, person } = await journey().visitSignedIn();
    const organizationId = await insertNamedOrganization(journey().server, {
      name: 'Quays',
      members: { [person.account.email]: 'write' },
    });
    const owner = await visitWithSite(journey());
    const hostname = `kept.${owner.mark}.example`;
    await addEndpoint(owner, { hostname, site_id: owner.siteId });
    await changeEndpoint(journey().server, hostname, { endpoint: { organization_id: organizationId } });
    await arrive(page, `/${organizationId}/cdn`);
    await page.getByRole('button', { name: `Actions for ${hostname}` }).click();
    const menu = page.getByRole('menu');
    expect(await menu.getByRole('menuitem', { name: 'Delete endpoint' }).isDisabled()).toBe(true);
    await menu.getByText('You need the Admin permission in this organization.').waitFor();
  });

  it('speaks French, including form and menu, and fits a phone', async () => {
    const visitor = await visitWithSite(journey(), { locale: 'fr-CA', viewport: PHONE });
    const { page, cdn, mark, organizationId, siteId } = visitor;
    const hostname = `quai.${mark}.example`;
    await insertEndpoint(journey().server, {
      organizationId,
      siteId,
      hostname,
      provenAt: Date.now(),
      bundle: {
        dns_challenge_validated_at: Date.now(),
        issued_at: Date.now(),
        valid_until: Date.UTC(2099, 1, 3),
      },
    });
    await arrive(page, cdn);
    await page.getByText('Valide jusqu’au 3 févr. 2099').waitFor();
    await page.getByText('Prêt à basculer').waitFor();
    await page.getByRole('button', { name: `Actions pour ${hostname}` }).click();
    const remove = page.getByRole('menuitem', { name: 'Supprimer le point de terminaison' });
    await remove.waitFor();
    await expectFitsPhone(page);
    await remove.click();
    const question = page.getByRole('dialog', { name: `Supprimer ${hostname}?`, exact: true });
    await question.getByRole('button', { name: 'Annuler' }).click();
    await arrive(page, `${cdn}?create=true`);
    const form = page.getByRole('dialog', { name: 'Ajouter un point de terminaison' });
    await form.getByLabel('Nom d’hôte').fill('*.exemple.ca');
    await form.getByRole('button', { name: 'Ajouter un point de terminaison' }).click();
    await form.getByText('Ajoutez chaque nom d’hôte séparément').waitFor();
    await expectFitsPhone(page);
  });
});

describe('another form of an endpoint’s address', () => {
  it('redirects to its page without a history entry of its own', async () => {
    const visitor = await visitWithSite(journey());
    const { page, person, cdn, mark, siteId, organizationId } = visitor;
    const hostname = `linked-${mark}.localhost`;
    const { id } = await addEndpoint(visitor, { hostname, site_id: siteId });
    await arrive(page, cdn);
    const entries = await historyLength(page);
    for (const path of [`/${organizationId}/cdn/${id}`, `/cdn/endpoints/${id}`]) {
      await arrive(page, path);
      await page.getByRole('heading', { level: 1, name: hostname }).waitFor();
      expect(addressOf(page)).toBe(`/${organizationId}/endpoints/${id}`);
      expect(await historyLength(page)).toBe(entries + 1);
      await page.goBack();
      await page.waitForURL(`**${cdn}`);
    }
    // The server redirects: the same holds for all of them.
    for (const [path, to] of [
      [`/${organizationId}/cdn/endpoints/${id}`, id],
      [`/cdn/${id}`, id],
      [`/endpoints/${id}`, id],
      [`/${organizationId}/cdn/${NOBODY}`, NOBODY],
    ] as const) {
      const destination = await destinationFor(person, journey().server.consoleUrl, path);
      expect(destination, path).toBe(`/${organizationId}/endpoints/${to}`);
    }
  });
});
