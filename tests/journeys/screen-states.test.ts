import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { type FurnishedWorkspace, furnishWorkspace } from '#tests/support/browser/furnish-workspace.ts';
import {
  arrive,
  expectAccessible,
  expectFitsPhone,
  hideServerReturn,
  PHONE,
  startJourney,
} from '#tests/support/browser/journey.ts';
import { packZip } from '#tests/support/pack-zip.ts';

const journey = startJourney();
let furnished: Promise<FurnishedWorkspace> | undefined;

/** One person's workspace for the whole file: every test opens it in a separate window. */
function furnishedOnce(): Promise<FurnishedWorkspace> {
  furnished ??= furnishWorkspace(journey().server, 'Harbour');
  return furnished;
}

interface State {
  path: (world: FurnishedWorkspace) => string;
  /** Leads to the state; resolves when the state is on the screen. */
  reach: (page: Page) => Promise<void>;
}

const dashboard = ({ organizationId }: FurnishedWorkspace) => `/${organizationId}`;
const sites = ({ organizationId }: FurnishedWorkspace) => `/${organizationId}/sites`;
const cdn = ({ organizationId }: FurnishedWorkspace) => `/${organizationId}/cdn`;
const credentials = ({ organizationId }: FurnishedWorkspace) => `/${organizationId}/credentials`;
const settings = ({ organizationId }: FurnishedWorkspace) => `/${organizationId}/settings`;
const harbour = ({ organizationId, busyId }: FurnishedWorkspace) => `/${organizationId}/sites/${busyId}`;
const quiet = ({ organizationId, quietId }: FurnishedWorkspace) => `/${organizationId}/sites/${quietId}`;

/** A dialog is complete once its last control is visible. */
const dialog = (page: Page, name: string) =>
  page.getByRole('dialog', { name }).getByRole('button').last().waitFor();

const STATES: Record<string, State> = {
  'the user menu': {
    path: dashboard,
    reach: async (page) => {
      await page.getByRole('button', { name: 'User menu' }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    },
  },
  'the organization switcher': {
    path: dashboard,
    reach: async (page) => {
      await page.getByRole('button', { name: 'Switch organization' }).click();
      await page.getByRole('link', { name: 'New organization' }).waitFor();
    },
  },
  'the command palette': {
    path: dashboard,
    reach: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByText('www.harbour.example', { exact: true }).waitFor();
    },
  },
  'the command palette without a match': {
    path: dashboard,
    reach: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search and commands' }).fill('zzz');
      await page.getByText('Nothing matches.').waitFor();
    },
  },
  'the panel that creates a site, with its warning': {
    path: (world) => `${sites(world)}?create=true`,
    reach: async (page) => {
      await page.getByLabel('Site name').fill('Déjà vu');
      await page.getByText(/An address can contain only/).waitFor();
    },
  },
  'the panel that creates a site, with a refusal': {
    path: (world) => `${sites(world)}?create=true`,
    reach: async (page) => {
      const panel = page.getByRole('dialog', { name: 'Create site' });
      await panel.getByLabel('Site name').fill('harbour');
      await panel.getByRole('button', { name: 'Create site' }).click();
      await panel.getByRole('alert').waitFor();
    },
  },
  'a search of sites without a match': {
    path: (world) => `${sites(world)}?search=zzz`,
    reach: (page) => page.getByText('No site matches “zzz”.').waitFor(),
  },
  'the ways to deploy': {
    path: (world) => `${harbour(world)}?deploy=true`,
    reach: (page) => dialog(page, 'Deploy'),
  },
  'what a version changed': {
    path: harbour,
    reach: async (page) => {
      await page.getByRole('button', { name: 'What changed in version 2' }).click();
      await page.getByRole('region', { name: 'Changed files' }).waitFor();
    },
  },
  'the question before a rollback': {
    path: harbour,
    reach: async (page) => {
      await page.getByRole('button', { name: 'Roll back to version 1' }).click();
      await dialog(page, 'Roll back Harbour to version 1?');
    },
  },
  'the question before a site is deleted': {
    path: quiet,
    reach: async (page) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete site' }).click();
      await dialog(page, 'Delete Quiet harbour?');
    },
  },
  'the refusal to delete a site with endpoints': {
    path: harbour,
    reach: async (page) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete site' }).click();
      await page.getByRole('alert').waitFor();
    },
  },
  'a deploy under way': {
    path: quiet,
    reach: async (page) => {
      // Never answered: the upload stays where it is.
      await page.route('**/api/v1/sites/*/versions?*', () => undefined);
      await sendZip(page, packZip({ 'index.html': 'x' }));
      await page.getByRole('progressbar', { name: 'Uploading' }).waitFor({ state: 'attached' });
    },
  },
  'a deploy that was refused': {
    path: quiet,
    reach: async (page) => {
      await sendZip(page, Buffer.from('no archive'));
      await page.getByRole('alert').waitFor();
    },
  },
  'the report of a deploy with a faulty rule': {
    path: quiet,
    reach: async (page) => {
      await sendZip(page, packZip({ 'page.html': 'x', _redirects: '/broken\n' }));
      await page.getByText('1 rule was left out').waitFor();
    },
  },
  'the dialog that adds an endpoint, with its hint and a refusal': {
    path: (world) => `${cdn(world)}?create=true&site=${world.busyId}`,
    reach: async (page) => {
      const form = page.getByRole('dialog', { name: 'Add endpoint' });
      await form.getByLabel('Hostname').fill('WWW.Harbour.example');
      await form.getByText('The hostname is www.harbour.example').waitFor();
      await form.getByRole('combobox', { name: 'Site' }).waitFor();
      await form.getByRole('button', { name: 'Add endpoint' }).click();
      await form.getByText('is in use by another endpoint').waitFor();
    },
  },
  'the dialog that adds a redirect': {
    path: (world) => `${cdn(world)}?create=true`,
    reach: async (page) => {
      const form = page.getByRole('dialog', { name: 'Add endpoint' });
      await form.getByRole('radio', { name: /^Redirect/ }).click();
      await form.getByRole('button', { name: 'Add endpoint' }).click();
      await form.getByText('Enter the address to redirect to.').waitFor();
    },
  },
  'the sites that an endpoint can serve': {
    path: (world) => `${cdn(world)}?create=true`,
    reach: async (page) => {
      await page.getByRole('combobox', { name: 'Site' }).click();
      await page.getByRole('option', { name: 'Harbour', exact: true }).waitFor();
    },
  },
  'a search of endpoints without a match': {
    path: (world) => `${cdn(world)}?search=zzz`,
    reach: (page) => page.getByText('No endpoint matches “zzz”.').waitFor(),
  },
  'the menu of an endpoint': {
    path: cdn,
    reach: async (page) => {
      await page.getByRole('button', { name: 'Actions for www.harbour.example' }).click();
      await page.getByRole('menuitem', { name: 'Delete endpoint' }).waitFor();
    },
  },
  'the question before an endpoint is deleted': {
    path: cdn,
    reach: async (page) => {
      await page.getByRole('button', { name: 'Actions for www.harbour.example' }).click();
      await page.getByRole('menuitem', { name: 'Delete endpoint' }).click();
      await dialog(page, 'Delete www.harbour.example?');
    },
  },
  'the dialog that creates a credential': {
    path: (world) => `${credentials(world)}?create=true`,
    reach: async (page) => {
      await page.getByRole('checkbox', { name: 'Harbour', exact: true }).waitFor();
      await page.getByText(/will have no access/).waitFor();
    },
  },
  'the keys of a new credential': {
    path: (world) => `${credentials(world)}?create=true`,
    reach: async (page) => {
      const form = page.getByRole('dialog', { name: 'Create credential' });
      await form.getByRole('textbox', { name: /^Name/ }).fill('Just made');
      await form.getByRole('button', { name: 'Create credential' }).click();
      await form.waitFor({ state: 'hidden' });
      await page.getByText('The credential Just made is ready').waitFor();
    },
  },
  'the dialog that edits scopes': {
    path: credentials,
    reach: async (page) => {
      await page.getByRole('button', { name: 'Edit scopes of Website deploys' }).click();
      await page.getByRole('dialog').getByRole('checkbox', { name: 'Harbour', exact: true }).waitFor();
    },
  },
  'the question before a credential is deleted': {
    path: credentials,
    reach: async (page) => {
      await page.getByRole('button', { name: 'Delete Nothing yet' }).click();
      await dialog(page, 'Delete Nothing yet?');
    },
  },
  'the choice of a language': {
    path: settings,
    reach: async (page) => {
      await page.getByRole('combobox', { name: 'Language preference' }).click();
      await page.getByRole('option', { name: 'Français (Canada)' }).waitFor();
    },
  },
};

function sendZip(page: Page, buffer: Buffer): Promise<void> {
  return page.getByLabel('Zip file').setInputFiles({ name: 'site.zip', mimeType: 'application/zip', buffer });
}

async function visitState(state: State): Promise<Page> {
  const world = await furnishedOnce();
  const { page } = await journey().visitSignedIn({ person: world.person });
  await arrive(page, state.path(world));
  await state.reach(page);
  return page;
}

describe.each(Object.entries(STATES))('%s', (_, state) => {
  it('is accessible in light and dark and fits a phone', async () => {
    const page = await visitState(state);
    await expectAccessible(page);
    await expectFitsPhone(page);
  });
});

describe('a loading page', () => {
  const PAGES: Record<string, (world: FurnishedWorkspace) => string> = {
    sites,
    'a site': harbour,
    cdn,
    'an endpoint': ({ organizationId }) => `/${organizationId}/endpoints/01jzzzzzzzzzzzzzzzzzzzzzzz`,
    credentials,
    webhooks: ({ organizationId }) => `/${organizationId}/webhooks`,
    storage: ({ organizationId }) => `/${organizationId}/storage`,
    usage: ({ organizationId }) => `/${organizationId}/usage`,
    'the audit log': ({ organizationId }) => `/${organizationId}/audit`,
  };

  it.each(Object.keys(PAGES))('is accessible: %s', async (name) => {
    const world = await furnishedOnce();
    const { page } = await journey().visitSignedIn({ person: world.person });
    await arrive(page, settings(world));
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route('**/api/trpc/**', async (route) => {
      await held;
      await route.continue().catch(() => undefined);
    });
    await page.evaluate((to) => window.history.pushState({}, '', to), PAGES[name]?.(world) ?? '');
    await page.locator('main [aria-busy]').first().waitFor();
    await expectAccessible(page);
    letGo();
    await page.getByRole('heading', { level: 1 }).first().waitFor();
  });
});

describe('the navigation on a phone', () => {
  it('is accessible while it is open', async () => {
    const { person, organizationId } = await furnishedOnce();
    const { page } = await journey().visitSignedIn({ person, viewport: PHONE });
    await arrive(page, `/${organizationId}`);
    await page.getByRole('button', { name: 'Open navigation' }).click();
    await page.getByRole('button', { name: 'Close navigation' }).waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
  });
});

describe('when the server cannot be reached', () => {
  it.each([
    ['Sites', 'Error: The server cannot be reached.'],
    ['CDN', 'Error: The server cannot be reached.'],
    ['Credentials', 'The credentials could not be loaded.'],
  ])('%s says so accessibly, and Retry loads the page once it is back', async (name, words) => {
    const { person, organizationId } = await furnishedOnce();
    const { page } = await journey().visitSignedIn({
      person,
      provoked: /^TRPCClientError: Failed to fetch/,
    });
    await hideServerReturn(page);
    await arrive(page, `/${organizationId}/settings`);
    let isDown = true;
    await page.route('**/api/trpc/**', (route) => (isDown ? route.abort() : route.continue()));
    await page
      .getByRole('navigation', { name: 'Main navigation' })
      .getByRole('link', { name, exact: true })
      .click();
    await page.getByRole('alert').getByText(words).waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    isDown = false;
    await page.getByRole('button', { name: 'Retry' }).click();
    await page
      .getByText(name === 'CDN' ? 'www.harbour.example' : 'Harbour')
      .first()
      .waitFor();
    await page.getByRole('alert').waitFor({ state: 'hidden' });
  });

  it('an error stays on the screen while the page tries again, until there is something else to show', async () => {
    const { person, organizationId } = await furnishedOnce();
    const { page } = await journey().visitSignedIn({ person, provoked: /^TRPCClientError/ });
    await arrive(page, `/${organizationId}/settings`);
    let requests = 0;
    let isDown = true;
    await page.route('**/api/trpc/**', (route) => {
      requests += 1;
      return isDown ? route.fulfill({ status: 502, body: 'Bad Gateway' }) : route.continue();
    });
    await page
      .getByRole('navigation', { name: 'Main navigation' })
      .getByRole('link', { name: 'CDN', exact: true })
      .click();
    const alert = page.getByRole('alert');
    await alert.getByText('Error: Bad Gateway').waitFor();
    const shown = await alert.elementHandle();
    const before = requests;
    await expect.poll(() => requests).toBeGreaterThan(before + 1);
    expect(await shown?.evaluate((element) => element.isConnected)).toBe(true);
    isDown = false;
    await page.getByText('www.harbour.example').first().waitFor();
    await alert.waitFor({ state: 'hidden' });
  });
});
