import type { Locator, Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import type { Permission } from '#server/services/organizations/rules.ts';
import {
  arrive,
  expectAccessible,
  expectFitsPhone,
  PHONE,
  startJourney,
  tabTo,
} from '#tests/support/browser/journey.ts';
import { requireStatus } from '#tests/support/client/deploy-client.ts';
import { objectOf, type RestClient } from '#tests/support/client/rest-client.ts';
import { registerAndSignIn, type SignedInBrowser } from '#tests/support/client/sign-in.ts';
import { packZip } from '#tests/support/pack-zip.ts';
import { insertNamedOrganization, suspendOrganization } from '#tests/support/server/server-database.ts';

const journey = startJourney();
const REASON = 'The invoice of March was not paid.';

interface Harbour {
  owner: SignedInBrowser;
  organizationId: string;
  siteId: string;
  bucketId: string;
  members: Record<Exclude<Permission, 'owner'>, SignedInBrowser>;
}

let furnished: Promise<Harbour> | undefined;

/**
 * One organization for the whole file: an owner, a member with each other permission, a site with two
 * versions, a credential.
 */
function harbourOnce(): Promise<Harbour> {
  furnished ??= furnishHarbour();
  return furnished;
}

async function furnishHarbour(): Promise<Harbour> {
  const { server, visitSignedIn } = journey();
  const owner = await visitSignedIn();
  const members = {
    read: await registerAndSignIn(server.consoleUrl),
    write: await registerAndSignIn(server.consoleUrl),
    admin: await registerAndSignIn(server.consoleUrl),
  };
  const organizationId = await insertNamedOrganization(server, {
    name: 'Harbour',
    description: 'Quays for everybody',
    features: ['object_storage'],
    members: {
      [owner.person.account.email]: 'owner',
      ...Object.fromEntries(
        Object.entries(members).map(([permission, { account }]) => [account.email, permission as Permission]),
      ),
    },
  });
  const api: RestClient = (method, path, options = {}) =>
    owner.api(method, path, {
      ...options,
      headers: { ...options.headers, 'portage-organization': organizationId },
    });
  const site = objectOf(requireStatus(await api('POST', '/api/v1/sites', { json: { name: 'Quay' } }), 201));
  const headers = { 'content-type': 'application/zip' };
  for (const text of ['one', 'two']) {
    const body = packZip({ 'index.html': text });
    requireStatus(await api('POST', `/api/v1/sites/${site.id}/versions`, { body, headers }), 201);
  }
  requireStatus(await api('POST', '/api/v1/credentials', { json: { name: 'Deploys', scopes: [] } }), 201);
  const created = await api('POST', '/api/v1/storage/buckets', { json: { name: 'quay-pictures' } });
  const bucketId = String(objectOf(requireStatus(created, 201)).id);
  return { owner: owner.person, organizationId, siteId: String(site.id), bucketId, members };
}

/** What each screen offers to change; the value is the required permission. */
const OFFERS: Record<
  string,
  { path: (harbour: Harbour) => string; control: (page: Page) => Locator; needs: Permission }
> = {
  'Create site': {
    path: ({ organizationId }) => `/${organizationId}/sites`,
    control: (page) => page.getByRole('button', { name: 'Create site' }),
    needs: 'write',
  },
  Deploy: {
    path: ({ organizationId, siteId }) => `/${organizationId}/sites/${siteId}`,
    control: (page) => page.getByRole('button', { name: 'Deploy', exact: true }),
    needs: 'write',
  },
  'Choose folder': {
    path: ({ organizationId, siteId }) => `/${organizationId}/sites/${siteId}`,
    control: (page) => page.getByRole('button', { name: 'Choose folder' }),
    needs: 'write',
  },
  'Choose zip': {
    path: ({ organizationId, siteId }) => `/${organizationId}/sites/${siteId}`,
    control: (page) => page.getByRole('button', { name: 'Choose zip' }),
    needs: 'write',
  },
  'Roll back': {
    path: ({ organizationId, siteId }) => `/${organizationId}/sites/${siteId}`,
    control: (page) => page.getByRole('button', { name: 'Roll back to version 1' }),
    needs: 'write',
  },
  'Create credential': {
    path: ({ organizationId }) => `/${organizationId}/credentials`,
    control: (page) => page.getByRole('button', { name: 'Create credential' }),
    needs: 'admin',
  },
  'Add endpoint': {
    path: ({ organizationId }) => `/${organizationId}/cdn`,
    control: (page) => page.getByRole('button', { name: 'Add endpoint' }).first(),
    needs: 'write',
  },
  'Edit scopes': {
    path: ({ organizationId }) => `/${organizationId}/credentials`,
    control: (page) => page.getByRole('button', { name: 'Edit scopes of Deploys' }),
    needs: 'admin',
  },
  'Delete credential': {
    path: ({ organizationId }) => `/${organizationId}/credentials`,
    control: (page) => page.getByRole('button', { name: 'Delete Deploys' }),
    needs: 'admin',
  },
  'Create bucket': {
    path: ({ organizationId }) => `/${organizationId}/storage`,
    control: (page) => page.getByRole('button', { name: 'Create bucket' }),
    needs: 'admin',
  },
  'Edit bucket': {
    path: ({ organizationId }) => `/${organizationId}/storage`,
    control: (page) => page.getByRole('button', { name: 'Edit quay-pictures' }),
    needs: 'write',
  },
  'Delete bucket': {
    path: ({ organizationId }) => `/${organizationId}/storage`,
    control: (page) => page.getByRole('button', { name: 'Delete quay-pictures' }),
    needs: 'admin',
  },
  'Upload files': {
    path: ({ organizationId, bucketId }) => `/${organizationId}/storage/${bucketId}`,
    control: (page) => page.getByRole('button', { name: 'Upload files' }),
    needs: 'write',
  },
  'Upload folder': {
    path: ({ organizationId, bucketId }) => `/${organizationId}/storage/${bucketId}`,
    control: (page) => page.getByRole('button', { name: 'Upload folder' }),
    needs: 'write',
  },
};

const ORDER: Permission[] = ['read', 'write', 'admin', 'owner'];
const isEnough = (own: Permission, needed: Permission) => ORDER.indexOf(own) >= ORDER.indexOf(needed);
const NAMES: Record<Permission, string> = { read: 'Read', write: 'Write', admin: 'Admin', owner: 'Owner' };

/** Fails unless the control is visible, can be reached by keyboard, and says why it is disabled. */
async function expectRefused(page: Page, control: Locator, reason: string): Promise<void> {
  // While the page loads, one without a reason stands in its place.
  await expect.poll(() => control.getAttribute('aria-disabled')).toBe('true');
  await tabTo(page, control);
  // Tooltips of controls that Tab has passed fade out meanwhile.
  await page.getByRole('tooltip').getByText(reason).last().waitFor();
  const before = page.url();
  await control.click({ force: true });
  expect(page.url()).toBe(before);
  expect(await page.getByRole('dialog').count()).toBe(0);
}

/** Goes to another page inside the console. */
async function goTo(page: Page, path: string): Promise<void> {
  if (new URL(page.url()).pathname === path) return;
  await page.evaluate((to) => window.history.pushState({}, '', to), path);
}

/** Visits every screen and checks each offer: enabled with the permission, else disabled with the reason. */
async function expectOffers(
  page: Page,
  harbour: Harbour,
  reasonOf: (needs: Permission) => string | null,
): Promise<void> {
  for (const { path, control, needs } of Object.values(OFFERS)) {
    await goTo(page, path(harbour));
    const reason = reasonOf(needs);
    if (reason !== null) await expectRefused(page, control(page), reason);
    else await expect.poll(() => control(page).isEnabled()).toBe(true);
  }
  const { organizationId, siteId } = harbour;
  await goTo(page, `/${organizationId}/sites/${siteId}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  const deleteSite = page.getByRole('menuitem', { name: 'Delete site' });
  const deleteReason = reasonOf('admin');
  expect(await deleteSite.isDisabled()).toBe(deleteReason !== null);
  if (deleteReason) await page.getByRole('menu').getByText(deleteReason).waitFor();
  await page.keyboard.press('Escape');
  const spa = page.getByRole('switch', { name: 'Single-page application' });
  expect(await spa.isDisabled()).toBe(reasonOf('write') !== null);
  await expectPanels(page, harbour, reasonOf);
  await expectPalette(page, reasonOf);
}

/** An address that opens a panel opens it only for people who may use it. */
async function expectPanels(
  page: Page,
  { organizationId, siteId }: Harbour,
  reasonOf: (needs: Permission) => string | null,
): Promise<void> {
  for (const [path, name, needs] of [
    [`/${organizationId}/sites?create=true`, 'Create site', 'write'],
    [`/${organizationId}/sites/${siteId}?deploy=true`, 'Deploy', 'write'],
    [`/${organizationId}/cdn?create=true`, 'Add endpoint', 'write'],
    [`/${organizationId}/credentials?create=true`, 'Create credential', 'admin'],
  ] as const) {
    await arrive(page, path);
    const panel = page.getByRole('dialog', { name });
    if (reasonOf(needs) === null) await panel.waitFor();
    else expect(await panel.count()).toBe(0);
  }
}

async function expectPalette(page: Page, reasonOf: (needs: Permission) => string | null): Promise<void> {
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Search and commands' });
  await palette.getByText('Quay', { exact: true }).waitFor();
  const offered = async (name: string) => (await palette.getByText(name, { exact: true }).count()) === 1;
  expect(await offered('Create site')).toBe(reasonOf('write') === null);
  expect(await offered('Add a hostname')).toBe(reasonOf('write') === null);
  expect(await offered('Create credential')).toBe(reasonOf('admin') === null);
  await page.keyboard.press('Escape');
}

describe.each(['read', 'write', 'admin'] as const)('a member with the permission %s', (permission) => {
  it('sees on every screen what they may do, and the reason for the rest', async () => {
    const harbour = await harbourOnce();
    const { page } = await journey().visitSignedIn({ person: harbour.members[permission] });
    await arrive(page, `/${harbour.organizationId}/sites`);
    await expectOffers(page, harbour, (needs) =>
      isEnough(permission, needs) ? null : `You need the ${NAMES[needs]} permission in this organization.`,
    );
  });
});

describe('a suspended organization', () => {
  it('says so on every page, and no one can change anything until it is resumed', async () => {
    const harbour = await harbourOnce();
    const { organizationId, siteId, owner } = harbour;
    const { page } = await journey().visitSignedIn({ person: owner });
    await arrive(page, `/${organizationId}/sites`);
    await suspendOrganization(journey().server, organizationId, REASON);
    try {
      // The page does not know yet: the first refusal tells it.
      await page.getByRole('button', { name: 'Create site' }).click();
      const form = page.getByRole('dialog', { name: 'Create site' });
      await form.getByLabel('Site name').fill('Too late');
      await form.getByRole('button', { name: 'Create site' }).click();
      const banner = page.getByRole('status').filter({ hasText: 'This organization is suspended' });
      await banner.getByText(REASON).waitFor();

      for (const path of ['', '/cdn', '/credentials', '/settings', '/sites', `/sites/${siteId}`]) {
        await arrive(page, `/${organizationId}${path}`);
        await banner.getByText(REASON).waitFor();
        await expectFitsPhone(page);
      }
      await expectAccessible(page);
      await expectOffers(page, harbour, () => `This organization is suspended: ${REASON}`);
    } finally {
      await suspendOrganization(journey().server, organizationId, null);
    }
    await arrive(page, `/${organizationId}/sites`);
    expect(await page.getByText('This organization is suspended').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Create site' }).getAttribute('aria-disabled')).toBeNull();
  });

  it('does not affect its members’ personal workspaces', async () => {
    const { organizationId, members } = await harbourOnce();
    await suspendOrganization(journey().server, organizationId, null);
    const { page, organizationId: home } = await journey().visitSignedIn({ person: members.read });
    await suspendOrganization(journey().server, organizationId, REASON);
    try {
      await arrive(page, `/${home}/sites`);
      expect(await page.getByText('This organization is suspended').count()).toBe(0);
      await page.getByRole('button', { name: 'Create site' }).first().click();
      await page.getByRole('dialog', { name: 'Create site' }).waitFor();
    } finally {
      await suspendOrganization(journey().server, organizationId, null);
    }
  });
});

describe('the dashboard', () => {
  it('greets a person at home and introduces an organization, each line only if it exists', async () => {
    const { page, person, organizationId } = await journey().visitSignedIn({ full_name: 'Ada King' });
    const { email } = person.account;
    const handle = `rivers-${Date.now().toString(36)}`;
    const [full, bare] = [
      await insertNamedOrganization(journey().server, {
        name: 'Rivers',
        handle,
        description: 'Maps of rivers',
        website: 'https://rivers.example',
        location: 'Trois-Rivières',
        members: { [email]: 'read' },
      }),
      await insertNamedOrganization(journey().server, { name: 'Bare', members: { [email]: 'owner' } }),
    ];
    await arrive(page, `/${organizationId}`);
    await page.getByRole('heading', { level: 1, name: 'Hello, Ada King' }).waitFor();
    expect(await page.title()).toBe('Dashboard · Portage');
    expect(await page.getByText('Organization details').count()).toBe(0);
    const main = page.getByRole('main');
    for (const [name, path] of [
      ['Sites', '/sites'],
      ['CDN', '/cdn'],
    ] as const) {
      const card = main.getByRole('link', { name: new RegExp(`^${name}`) });
      expect(await card.getAttribute('href')).toBe(`/${organizationId}${path}`);
    }

    await arrive(page, `/${full}`);
    await page.getByRole('heading', { level: 1, name: 'Rivers' }).waitFor();
    const details = page.locator('section').filter({ hasText: 'Organization details' });
    expect(await details.getByRole('term').allTextContents()).toEqual([
      'Name',
      'Description',
      'Website',
      'Location',
    ]);
    const publicPage = details.getByRole('link', { name: 'View organization (opens in a new tab)' });
    expect(await publicPage.getAttribute('href')).toBe(
      `${journey().server.consoleUrl}/identity/organizations/${handle}`,
    );
    expect(await publicPage.getAttribute('target')).toBe('_blank');
    expect(await details.getByRole('link', { name: 'Members' }).getAttribute('href')).toBe(
      `/identity/organizations/${handle}?tab=members`,
    );
    await expectAccessible(page);
    await page.setViewportSize(PHONE);
    const endOf = (shown: Locator) => shown.evaluate((element) => element.getBoundingClientRect().right);
    await expect.poll(async () => (await endOf(publicPage)) < (await endOf(details))).toBe(true);

    await arrive(page, `/${bare}`);
    await page.getByRole('heading', { level: 1, name: 'Bare' }).waitFor();
    expect(await details.getByRole('term').allTextContents()).toEqual(['Name']);
  });

  it('shows a skeleton while the organizations load', async () => {
    const { page, organizationId } = await journey().visitSignedIn();
    await arrive(page, '/report-abuse');
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route('**/api/trpc/**', async (route) => {
      await held;
      await route.continue();
    });
    await page.evaluate((to) => window.history.pushState({}, '', to), `/${organizationId}`);
    await page.locator('[aria-busy]').getByText('Loading').first().waitFor({ state: 'attached' });
    await expectAccessible(page);
    letGo();
    await page.getByRole('heading', { level: 1, name: 'Hello, Ada Lovelace' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/${organizationId}`);
  });
});
