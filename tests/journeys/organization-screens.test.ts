import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import {
  arrive,
  expectAccessible,
  expectFitsPhone,
  expectNothingCut,
  hideServerReturn,
  PHONE,
  startOwnJourney,
  TABLET,
} from '#tests/support/browser/journey.ts';
import {
  addMember,
  invite,
  type MadeOrganization,
  makeOrganization,
} from '#tests/support/browser/organizations.ts';
import type { SignedInBrowser } from '#tests/support/client/sign-in.ts';
import { insertMembers } from '#tests/support/server/server-database.ts';

// Nothing listens there: a message stays queued.
const journey = startOwnJourney({
  MAIL_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'Portage <portage@example.ca>',
});

interface World {
  owner: SignedInBrowser;
  reader: SignedInBrowser;
  stranger: SignedInBrowser;
  organization: MadeOrganization;
  /** Names in three scripts, as long as allowed. */
  wide: MadeOrganization;
  /** The path of an open invitation for a person who is neither. */
  invitation: string;
  wideInvitation: string;
}

const WIDE_NAME = `مؤسسة الأنهار 🛶 ${'Société-des-rivières-et-des-portages '.repeat(3)}`
  .slice(0, 100)
  .trim();
let world: Promise<World> | undefined;

/** Created once for the file: every test opens it in a separate window. */
function worldOnce(): Promise<World> {
  world ??= makeWorld();
  return world;
}

async function makeWorld(): Promise<World> {
  const owner = await journey().visitSignedIn({ full_name: 'Ada Lovelace' });
  const reader = await journey().visitSignedIn({ full_name: 'Émile Nelligan' });
  const stranger = await journey().visitSignedIn({ full_name: 'Grace Hopper' });
  const organization = await makeOrganization(owner, {
    name: 'Rivières & Cie',
    handle: 'rivieres',
    description: 'Maps of rivers and of the ways around them.',
    website: 'https://rivieres.example',
    location: 'Trois-Rivières',
  });
  await addMember(owner, organization, reader, 'read');
  const wide = await makeOrganization(owner, {
    name: WIDE_NAME,
    handle: 'w'.repeat(39),
    description: 'Longueuil'.repeat(50),
    website: `https://${'very-long-part.'.repeat(12)}example`,
    location: 'Saint-Louis-du-Ha! Ha!',
  });
  await insertMembers(journey().server, wide.id, [
    'x'.repeat(100),
    'محمد عبد الله 🛶',
    ...Array.from({ length: 298 }, (_, index) => `Somebody ${index}`),
  ]);
  const named = { permission: 'write', email: 'zoe@example.ca' } as const;
  return {
    owner: owner.person,
    reader: reader.person,
    stranger: stranger.person,
    organization,
    wide,
    invitation: await invite(owner, organization, named),
    wideInvitation: await invite(owner, wide, named),
  };
}

interface Screen {
  path: (world: World) => string;
  /** Who opens it; signed out by default. */
  as?: 'owner' | 'reader' | 'stranger';
  /** Leads to the state; resolves when the state is on the screen. */
  reach: (page: Page) => Promise<unknown>;
}

const SCREENS: Record<string, Screen> = {
  'the form of a new organization': {
    path: () => '/identity/organizations/new',
    as: 'stranger',
    reach: (page) => page.getByLabel(/^(Short name|Nom court)/).waitFor(),
  },
  'the form of a new organization with errors': {
    path: () => '/identity/organizations/new',
    as: 'stranger',
    reach: async (page) => {
      await page.locator('button[type=submit]').click();
      await page.locator('[aria-invalid=true]').first().waitFor();
    },
  },
  'the public page': {
    path: ({ organization }) => organization.path,
    reach: (page) => page.getByText('Trois-Rivières').waitFor(),
  },
  'the public page with everything as long as it can be': {
    path: ({ wide }) => wide.path,
    reach: (page) => page.getByText('Saint-Louis-du-Ha! Ha!').waitFor(),
  },
  'the page of an organization that is not there': {
    path: () => '/identity/organizations/nobody',
    as: 'owner',
    reach: (page) => page.getByRole('heading', { name: /not found|introuvable/ }).waitFor(),
  },
  'the profile and the permissions, as an owner': {
    path: ({ organization }) => organization.path,
    as: 'owner',
    reach: (page) => page.getByRole('button', { name: /Delete organization|Supprimer l’org/ }).waitFor(),
  },
  'the permissions, with read permission': {
    path: ({ organization }) => organization.path,
    as: 'reader',
    reach: (page) => page.getByText(/^(yours|la vôtre)$/).waitFor(),
  },
  'the members, as an owner': {
    path: ({ organization }) => `${organization.path}?tab=members`,
    as: 'owner',
    reach: (page) => page.getByRole('combobox').first().waitFor(),
  },
  'the members, with read permission': {
    path: ({ organization }) => `${organization.path}?tab=members`,
    as: 'reader',
    reach: (page) => page.getByText('Ada Lovelace').waitFor(),
  },
  'members with names as long as they can be': {
    path: ({ wide }) => `${wide.path}?tab=members&search=x`,
    as: 'owner',
    reach: (page) => page.getByText('x'.repeat(100)).waitFor(),
  },
  'a search of members without a match': {
    path: ({ wide }) => `${wide.path}?tab=members&search=zzz`,
    as: 'owner',
    reach: (page) => page.getByText(/zzz/).waitFor(),
  },
  'the question before a member is removed': {
    path: ({ organization }) => `${organization.path}?tab=members`,
    as: 'owner',
    reach: async (page) => {
      await page.getByRole('button', { name: /(Remove|Retirer) Émile/ }).click();
      await page.getByRole('dialog').getByRole('button').last().waitFor();
    },
  },
  'the invitations': {
    path: ({ organization }) => `${organization.path}?tab=invitations`,
    as: 'owner',
    reach: (page) => page.getByText('zoe@example.ca').waitFor(),
  },
  'an invitation that was just made': {
    path: ({ wide }) => `${wide.path}?tab=invitations`,
    as: 'owner',
    reach: async (page) => {
      await page.locator('form button[type=submit]').click();
      await page.getByRole('status').getByRole('button').first().waitFor();
    },
  },
  'the invitations, with read permission': {
    path: ({ organization }) => `${organization.path}?tab=invitations`,
    as: 'reader',
    reach: (page) => page.getByText(/(You can ask|À qui vous adresser).*Ada Lovelace/).waitFor(),
  },
  'the question before the organization is deleted': {
    path: ({ organization }) => organization.path,
    as: 'owner',
    reach: async (page) => {
      await page.getByRole('button', { name: /Delete organization|Supprimer l’org/ }).click();
      await page.getByRole('dialog').getByRole('textbox').waitFor();
    },
  },
  'an invitation, signed out': {
    path: ({ invitation }) => invitation,
    reach: async (page) => {
      await page.locator('summary').click();
      await page.getByText(/Create sites|Créer des sites/).waitFor();
    },
  },
  'an invitation for another person': {
    path: ({ wideInvitation }) => wideInvitation,
    as: 'stranger',
    reach: (page) => page.getByText(/zoe@example.ca/).waitFor(),
  },
  'an invitation for a member': {
    path: ({ invitation }) => invitation,
    as: 'owner',
    reach: (page) => page.getByRole('heading', { name: /belong|faites déjà partie/ }).waitFor(),
  },
  'an invitation that is not open': {
    path: () => '/identity/invitations/nothing',
    reach: (page) => page.getByRole('heading', { name: /not open|plus valide/ }).waitFor(),
  },
};

/** Opens the screen in the person's own window, in the given state. */
async function look(
  screen: Screen,
  options: Parameters<ReturnType<typeof journey>['visit']>[0] = {},
): Promise<Page> {
  const made = await worldOnce();
  const { page } = screen.as
    ? await journey().visitSignedIn({ ...options, person: made[screen.as] })
    : await journey().visit(options);
  await arrive(page, screen.path(made));
  await screen.reach(page);
  return page;
}

describe.each(Object.entries(SCREENS))('%s', (_, screen) => {
  it('is accessible in light and dark and fits a phone and a tablet', async () => {
    const page = await look(screen);
    await expectAccessible(page);
    await expectFitsPhone(page);
    await expectNothingCut(page, TABLET);
  });

  it('speaks French on a phone', async () => {
    const page = await look(screen, { locale: 'fr-CA', viewport: PHONE });
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('fr-CA');
    await expectFitsPhone(page);
  });
});

describe('three hundred members', () => {
  it('are loaded page by page while scrolling, and are found by a search that is part of the address', async () => {
    const { wide, owner } = await worldOnce();
    const { page } = await journey().visitSignedIn({ person: owner });
    await arrive(page, `${wide.path}?tab=members`);
    const rows = page.getByRole('list', { name: 'Members' }).getByRole('listitem');
    await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(50);
    expect(await rows.count()).toBeLessThan(300);
    await expect
      .poll(
        async () => {
          await rows.last().scrollIntoViewIfNeeded();
          return rows.count();
        },
        { timeout: 120_000 },
      )
      .toBe(301);
    await page.getByRole('searchbox', { name: 'Search members' }).fill('somebody 123');
    await expect.poll(() => rows.count()).toBe(1);
    await page.waitForURL(/tab=members&search=somebody/);
    await page.reload();
    await expect.poll(() => rows.count()).toBe(1);
  });
});

describe('members that cannot be loaded', () => {
  it('say what happened, and are loaded with Retry', async () => {
    const { organization, owner } = await worldOnce();
    const { page } = await journey().visitSignedIn({ person: owner });
    await arrive(page, organization.path);
    const asked = /\/api\/trpc\/.*organizations\.members/;
    await hideServerReturn(page);
    await page.route(asked, (route) => route.abort());
    const tabs = page.getByRole('navigation', { name: 'Organization', exact: true });
    await tabs.getByRole('link', { name: 'Members', exact: true }).click();
    await page.getByRole('alert').getByText('The server cannot be reached.', { exact: false }).waitFor();
    await expectAccessible(page);
    await page.unroute(asked);
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('list', { name: 'Members' }).getByText('Ada Lovelace').waitFor();
  });
});

describe('an invitation by email', () => {
  it('is validated, and shows the delivery status of its message', async () => {
    const { organization, owner } = await worldOnce();
    const { page } = await journey().visitSignedIn({ person: owner });
    await arrive(page, `${organization.path}?tab=invitations`);
    await page.getByLabel('Email (optional)').fill('nobody');
    await page.getByRole('button', { name: 'Send invitation' }).click();
    await page.getByText('Enter an email address like name@example.ca').waitFor();
    await page.getByLabel('Email (optional)').fill('nelligan@example.ca');
    await page.getByRole('button', { name: 'Send invitation' }).click();
    await page.getByText(/It is on its way to nelligan@example.ca/).waitFor();
    const row = page.getByRole('listitem').filter({ hasText: 'nelligan@example.ca' });
    await row.getByText('being sent').waitFor();
    await row.getByText('Write').waitFor();
    // The form is empty again, so that a second press invites nobody twice.
    expect(await page.getByLabel('Email (optional)').inputValue()).toBe('');
    await page.getByRole('button', { name: 'Create invitation link' }).waitFor();
  });
});
