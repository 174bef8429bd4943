import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import {
  arrive,
  expectAccessible,
  expectFitsPhone,
  hasFocus,
  PHONE,
  type SignedInVisitor,
  startJourney,
  tabTo,
} from '#tests/support/journey.ts';
import { listOf, objectOf } from '#tests/support/rest-client.ts';
import { changeEndpoint, insertEndpoint, insertNamedOrganization } from '#tests/support/server-database.ts';

const journey = startJourney();
const DAY_MS = 86_400_000;
const NOBODY = '01jzzzzzzzzzzzzzzzzzzzzzzz';

/** Signs somebody in who has a site; `mark` makes hostnames theirs alone on this server. */
async function visitWithSite(options: Parameters<ReturnType<typeof journey>['visitSignedIn']>[0] = {}) {
  const visitor = await journey().visitSignedIn(options);
  const mark = visitor.organizationId.slice(-8);
  const site = `Harbour ${mark}`;
  const created = await visitor.api('POST', '/api/v1/sites', { json: { name: site } });
  expect(created.status).toBe(201);
  return {
    ...visitor,
    mark,
    site,
    siteId: String(objectOf(created).id),
    cdn: `/${visitor.organizationId}/cdn`,
  };
}

/** Adds an endpoint over HTTP and returns it. */
async function addEndpoint(visitor: SignedInVisitor, json: Record<string, unknown>) {
  const answer = await visitor.api('POST', '/api/v1/cdn/endpoints', { json });
  expect(answer.status, answer.text).toBe(201);
  return objectOf(answer);
}

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Add endpoint' });
const rowOf = (page: Page, hostname: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name: hostname, exact: true }) });
const addressOf = (page: Page) => {
  const { pathname, search, hash } = new URL(page.url());
  return `${pathname}${search}${hash}`;
};
const historyLength = (page: Page) => page.evaluate(() => window.history.length);

describe('adding an endpoint', () => {
  it('in front of a site begins at the empty list and leads to its page', async () => {
    const { page, api, cdn, mark, site, organizationId, siteId } = await visitWithSite();
    const hostname = `shop-${mark}.localhost`;
    await page.clock.install();
    await arrive(page, cdn);
    await page.getByRole('heading', { name: 'No CDN endpoints yet' }).waitFor();
    await page.getByText(/^Create your first endpoint/).waitFor();
    await page.getByRole('button', { name: 'Add endpoint' }).last().click();
    await page.waitForURL(`**${cdn}?create=true`);
    const form = dialogOf(page);
    await expect.poll(() => hasFocus(form.getByLabel('Hostname'))).toBe(true);
    await form.getByLabel('Hostname').fill(`https://SHOP-${mark}.localhost/`);
    await form.getByText(`The hostname is ${hostname}`).waitFor();
    await form.getByRole('combobox', { name: 'Site' }).click();
    await page.getByRole('option', { name: site }).click();
    await form.getByRole('button', { name: 'Add endpoint' }).click();
    await page.waitForURL(`**/${organizationId}/endpoints/*`);
    await page.getByRole('heading', { level: 1, name: hostname }).waitFor();
    const navigation = page.getByRole('navigation', { name: 'Main navigation' });
    expect(await navigation.locator('[aria-current=page]').allTextContents()).toEqual(['CDN']);

    await page.goBack();
    await page.waitForURL(`**${cdn}`);
    expect(await form.count()).toBe(0);
    expect(await page.getByRole('columnheader').allTextContents()).toEqual([
      'Hostname',
      'Origin',
      'Status',
      'Certificate',
      'Updated',
      'Actions',
    ]);
    const row = rowOf(page, hostname);
    await row.getByText('Live', { exact: true }).waitFor();
    expect(await row.getByRole('time').getAttribute('title')).toMatch(/ UTC$/);
    expect(await row.getByRole('link', { name: site }).getAttribute('href')).toBe(
      `/${organizationId}/sites/${siteId}`,
    );
    // Names of this machine get their certificate from the local authority by themselves.
    const issuedAt = async () => {
      const [endpoint] = listOf(await api('GET', '/api/v1/cdn/endpoints'));
      return endpoint?.bundle && typeof endpoint.bundle === 'object' && 'issued_at' in endpoint.bundle
        ? endpoint.bundle.issued_at
        : null;
    };
    await expect.poll(issuedAt, { timeout: 30_000 }).not.toBeNull();
    await page.clock.fastForward(16_000);
    await row.getByText(/^Valid until /).waitFor();
    await row.getByRole('link', { name: hostname }).click();
    await page.getByRole('heading', { level: 1, name: hostname }).waitFor();
  });

  it('as a redirect says beside each field what is wrong with it, then leads to its page', async () => {
    const other = await visitWithSite();
    const taken = `taken-${other.mark}.localhost`;
    await addEndpoint(other, { hostname: taken, site_id: other.siteId });
    const { page, cdn, mark, organizationId } = await visitWithSite();
    await arrive(page, `${cdn}?create=true`);
    const form = dialogOf(page);
    const hostname = form.getByLabel('Hostname');
    const submit = form.getByRole('button', { name: 'Add endpoint' });
    const wrong = (field: typeof hostname, words: string) =>
      expect
        .poll(async () => ((await field.getAttribute('aria-invalid')) ? form.getByText(words).count() : 0))
        .toBe(1);
    await submit.click();
    await wrong(hostname, 'Enter a hostname.');
    await wrong(form.getByRole('combobox', { name: 'Site' }), 'Choose a site.');
    await expect.poll(() => hasFocus(hostname)).toBe(true);

    const http = form.getByRole('radio', { name: /^HTTP server/ });
    await http.getByText('coming soon').waitFor();
    expect(await http.isDisabled()).toBe(true);
    await form.getByRole('radio', { name: /^Redirect/ }).click();
    const target = form.getByLabel('Redirect to');
    await form.getByText(/It must include the host, as in https:\/\/blog\.sites\.localhost/).waitFor();
    await hostname.fill(taken);
    await submit.click();
    await wrong(target, 'Enter the address to redirect to.');
    await target.fill('/news');
    await submit.click();
    await wrong(target, 'Begin the address with https:// or http://.');
    await target.fill('https://www.harbour.example/news');
    await submit.click();
    await wrong(hostname, `The hostname ${taken} is in use by another endpoint.`);
    await hostname.fill('co.uk');
    await submit.click();
    await wrong(hostname, 'Everybody can register names below this one.');
    await hostname.fill('blog.sites.localhost');
    await submit.click();
    await wrong(hostname, 'The hostname blog.sites.localhost belongs to this installation.');

    const own = `old-${mark}.localhost`;
    await hostname.fill(own);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/${organizationId}/endpoints/*`);
    await page.getByRole('heading', { level: 1, name: own }).waitFor();
    await arrive(page, cdn);
    await rowOf(page, own).getByText('Redirect to www.harbour.example/news').waitFor();
  });

  it('opens with the address, needs no mouse, and closes without a trace in the history', async () => {
    const { page, cdn, mark, site, siteId, organizationId } = await visitWithSite();
    await arrive(page, cdn);
    await page.goto(`${cdn}?create=true&site=${siteId}`);
    const form = dialogOf(page);
    await expect.poll(() => form.getByRole('combobox', { name: 'Site' }).inputValue()).toBe(site);
    const entries = await historyLength(page);
    await page.keyboard.press('Escape');
    await expect.poll(() => form.count()).toBe(0);
    expect(addressOf(page)).toBe(cdn);
    expect(await historyLength(page)).toBe(entries);

    const open = page.getByRole('button', { name: 'Add endpoint' }).first();
    await tabTo(page, open);
    await page.keyboard.press('Enter');
    await expect.poll(() => hasFocus(form.getByLabel('Hostname'))).toBe(true);
    await page.keyboard.type(`keys-${mark}.localhost`);
    await tabTo(page, form.getByRole('radio', { name: /^Site/ }));
    await page.keyboard.press('ArrowDown');
    await tabTo(page, form.getByLabel('Redirect to'));
    await page.keyboard.type('https://www.harbour.example');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/${organizationId}/endpoints/*`);
  });

  it('leads from the page of a site with that site, and from the palette', async () => {
    const { page, organizationId, site, siteId } = await visitWithSite();
    await arrive(page, `/${organizationId}/sites/${siteId}`);
    await page.getByRole('link', { name: 'Add a hostname' }).click();
    const chosen = dialogOf(page).getByRole('combobox', { name: 'Site' });
    await expect.poll(() => chosen.inputValue()).toBe(site);
    await arrive(page, `/${organizationId}`);
    await page.keyboard.press('Control+k');
    await page.getByRole('textbox', { name: 'Search and commands' }).fill('hostname');
    await page.keyboard.press('Enter');
    await dialogOf(page).waitFor();
    expect(await chosen.inputValue()).toBe('');
  });

  it('leads to /onboarding when billing is not set up, and shows every other failure inline', async () => {
    const { page, cdn, mark, siteId, organizationId } = await visitWithSite();
    await arrive(page, `${cdn}?create=true&site=${siteId}`);
    const form = dialogOf(page);
    await form.getByLabel('Hostname').fill(`unpaid-${mark}.localhost`);
    const submit = form.getByRole('button', { name: 'Add endpoint' });
    const calls = '**/api/trpc/cdn.create*';
    await page.route(calls, (route) => route.abort(), { times: 1 });
    await submit.click();
    await form.getByRole('alert').getByText('Error: The server cannot be reached.').waitFor();
    const refusal = { code: 'billing_required', message: '', params: {}, fields: [], request_id: null };
    const error = { message: '', code: -32_600, data: { httpStatus: 402, error: refusal } };
    await page.route(calls, (route) => route.fulfill({ status: 402, json: [{ error: { json: error } }] }));
    await submit.click();
    // Which leads on to the dashboard as long as there is nothing to set up.
    await page.waitForURL(`**/${organizationId}`);
  });

  it('tells somebody without a site where to make one', async () => {
    const { page, organizationId } = await journey().visitSignedIn();
    await arrive(page, `/${organizationId}/cdn?create=true`);
    await dialogOf(page).getByText('There are no sites yet.').waitFor();
    await dialogOf(page).getByRole('link', { name: 'Create a site' }).click();
    await page.getByRole('dialog', { name: 'Create site' }).waitFor();
  });
});

describe('the list of endpoints', () => {
  it('tells how far each certificate is, on the list and on the page of its site, and follows it', async () => {
    const visitor = await visitWithSite();
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
      active: { seen: ['Live', valid, 'active'], facts: { provenAt, bundle: { ...found, ...issued } } },
      early: { seen: ['Ready to switch', valid, 'active'], facts: { provenAt, bundle: issued } },
      failing: {
        seen: ['Needs attention', valid, 'active'],
        facts: {
          provenAt,
          bundle: { ...found, ...issued, failure_code: 'caa_forbids', failed_at: now },
        },
      },
    };
    const nameOf = (state: string) => `${state}.${mark}.example`;
    for (const [state, { facts }] of Object.entries(states)) {
      await insertEndpoint(server, { organizationId, siteId, hostname: nameOf(state), ...facts });
    }
    await page.clock.install();
    await arrive(page, cdn);
    const seen = async (state: string) => {
      const cells = await rowOf(page, nameOf(state)).getByRole('cell').allTextContents();
      return cells.slice(2, 4);
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
    const visit = await page.getByRole('link', { name: 'Visit', exact: true }).getAttribute('href');
    expect(new URL(visit ?? '').hostname).toBe(hostname);
    await first.click();
    await page.getByRole('heading', { level: 1, name: hostname }).waitFor();
  });

  it('draws hundreds as they are wanted, and the search finds any of them', async () => {
    const { page, cdn, mark, organizationId, siteId } = await visitWithSite();
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
    await expect.poll(() => rows.count()).toBe(50);
  });

  it('is emptied by an error, and comes back with Retry', async () => {
    const visitor = await visitWithSite();
    const { page, cdn, mark, siteId } = visitor;
    const hostname = `waits.${mark}.example`;
    await addEndpoint(visitor, { hostname, site_id: siteId });
    await page.clock.install();
    await arrive(page, cdn);
    await rowOf(page, hostname).waitFor();
    const json = [{ error: { json: { message: '', code: -32_600, data: {} } } }];
    const refusal = { code: 'not_found', message: '', params: {}, fields: [], request_id: null };
    Object.assign(json[0]?.error.json.data ?? {}, { httpStatus: 404, error: refusal });
    await page.route('**/api/trpc/cdn.list*', (route) => route.fulfill({ status: 404, json }));
    await page.clock.fastForward(16_000);
    await page.getByRole('alert').getByText('Error: Nothing was found at this address.').waitFor();
    expect(await rowOf(page, hostname).count()).toBe(0);
    await page.unroute('**/api/trpc/cdn.list*');
    await page.getByRole('button', { name: 'Retry' }).click();
    await rowOf(page, hostname).waitFor();
  });

  it('offers what can be done with an endpoint: open, visit, copy, delete and undo that', async () => {
    const visitor = await visitWithSite();
    const { page, api, cdn, mark, siteId, organizationId } = visitor;
    const hostname = `fleeting.${mark}.example`;
    const endpoint = await addEndpoint(visitor, { hostname, site_id: siteId });
    // Proven, so that its records are kept for it.
    await changeEndpoint(journey().server, hostname, { endpoint: { proven_at: Date.now() } });
    await arrive(page, cdn);
    const openMenu = async () => {
      await page.getByRole('button', { name: `Actions for ${hostname}` }).click();
      await page.getByRole('menuitem', { name: 'Delete endpoint' }).waitFor();
    };
    await openMenu();
    expect(await page.getByRole('menuitem', { name: 'Open' }).getAttribute('href')).toBe(
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

  it('keeps Delete from those who may not, with the reason', async () => {
    const { page, person } = await journey().visitSignedIn();
    const organizationId = await insertNamedOrganization(journey().server, {
      name: 'Quays',
      members: { [person.account.email]: 'write' },
    });
    const owner = await visitWithSite();
    const hostname = `kept.${owner.mark}.example`;
    await addEndpoint(owner, { hostname, site_id: owner.siteId });
    await changeEndpoint(journey().server, hostname, { endpoint: { organization_id: organizationId } });
    await arrive(page, `/${organizationId}/cdn`);
    await page.getByRole('button', { name: `Actions for ${hostname}` }).click();
    const menu = page.getByRole('menu');
    expect(await menu.getByRole('menuitem', { name: 'Delete endpoint' }).isDisabled()).toBe(true);
    await menu.getByText('You need the permission Admin in this organization.').waitFor();
  });

  it('speaks French, form and menu included, and fits a phone', async () => {
    const visitor = await visitWithSite({ locale: 'fr-CA', viewport: PHONE });
    const { page, cdn, mark, organizationId, siteId } = visitor;
    const hostname = `quai.${mark}.example`;
    await insertEndpoint(journey().server, {
      organizationId,
      siteId,
      hostname,
      provenAt: Date.now(),
      bundle: { issued_at: Date.now(), valid_until: Date.UTC(2099, 1, 3) },
    });
    await arrive(page, cdn);
    await page.getByText('Valide jusqu’au 3 févr. 2099').waitFor();
    await page.getByText('Prêt à basculer').waitFor();
    await page.getByRole('button', { name: `Actions pour ${hostname}` }).click();
    await page.getByRole('menuitem', { name: 'Supprimer le point de terminaison' }).waitFor();
    await expectFitsPhone(page);
    await arrive(page, `${cdn}?create=true`);
    const form = page.getByRole('dialog', { name: 'Ajouter un point de terminaison' });
    await form.getByLabel('Nom d’hôte').fill('*.exemple.ca');
    await form.getByRole('button', { name: 'Ajouter un point de terminaison' }).click();
    await form.getByText('Ajoutez chaque nom d’hôte séparément').waitFor();
    await expectFitsPhone(page);
  });
});

describe('another form of an endpoint’s address', () => {
  it('leads to its page without an entry of its own in the history', async () => {
    const visitor = await visitWithSite();
    const { page, cdn, mark, siteId, organizationId } = visitor;
    const hostname = `linked-${mark}.localhost`;
    const { id } = await addEndpoint(visitor, { hostname, site_id: siteId });
    await arrive(page, cdn);
    const entries = await historyLength(page);
    for (const path of [
      `/${organizationId}/cdn/endpoints/${id}`,
      `/${organizationId}/cdn/${id}`,
      `/cdn/endpoints/${id}`,
      `/cdn/${id}`,
      `/endpoints/${id}`,
    ]) {
      await arrive(page, path);
      await page.getByRole('heading', { level: 1, name: hostname }).waitFor();
      expect(addressOf(page)).toBe(`/${organizationId}/endpoints/${id}`);
      expect(await historyLength(page)).toBe(entries + 1);
      await page.goBack();
      await page.waitForURL(`**${cdn}`);
    }
    await page.goto(`/${organizationId}/cdn/${NOBODY}`);
    expect(addressOf(page)).toBe(`/${organizationId}/endpoints/${NOBODY}`);
  });
});

describe('the command palette', () => {
  it('finds endpoints by hostname and by what they lead to', async () => {
    const visitor = await visitWithSite();
    const { page, mark, organizationId } = visitor;
    const hostname = `found-${mark}.localhost`;
    await addEndpoint(visitor, {
      hostname,
      origin_type: 'redirect',
      redirect_target: 'https://lighthouse.example',
    });
    await arrive(page, `/${organizationId}`);
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Search and commands' });
    await palette.getByRole('textbox').fill('lighthouse');
    await palette.getByText(hostname, { exact: true }).click();
    await page.getByRole('heading', { level: 1, name: hostname }).waitFor();
  });
});
