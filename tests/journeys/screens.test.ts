import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { type FurnishedWorkspace, furnishWorkspace } from '#tests/support/browser/furnish-workspace.ts';
import {
  arrive,
  expectAccessible,
  expectFits,
  expectFitsPhone,
  expectNothingCut,
  PHONE,
  startJourney,
  TABLET,
} from '#tests/support/browser/journey.ts';
import { expectLargeTargets } from './small-targets.ts';

const journey = startJourney();
let furnished: Promise<FurnishedWorkspace> | undefined;

/** One person's workspace for the whole file: every test opens it in a separate window. */
function furnishedOnce(): Promise<FurnishedWorkspace> {
  furnished ??= furnishWorkspace(journey().server, 'Mooring');
  return furnished;
}

interface Screen {
  path: (world: FurnishedWorkspace) => string;
  /** What must be on it before it is checked, in English and in French. */
  heading: { en: RegExp; fr: RegExp };
}

const SCREENS: Record<string, Screen> = {
  'the dashboard': {
    path: ({ organizationId }) => `/${organizationId}`,
    heading: { en: /^Hello/, fr: /^Bonjour/ },
  },
  'the list of sites': {
    path: ({ organizationId }) => `/${organizationId}/sites`,
    heading: { en: /^Sites$/, fr: /^Sites$/ },
  },
  'a site with a history': {
    path: ({ organizationId, busyId }) => `/${organizationId}/sites/${busyId}`,
    heading: { en: /^Mooring/, fr: /^Mooring/ },
  },
  'a site before its first deploy': {
    path: ({ organizationId, quietId }) => `/${organizationId}/sites/${quietId}`,
    heading: { en: /^Quiet mooring/, fr: /^Quiet mooring/ },
  },
  'a site that is not there': {
    path: ({ organizationId }) => `/${organizationId}/sites/01jzzzzzzzzzzzzzzzzzzzzzzz`,
    heading: { en: /^Site not found$/, fr: /^Site introuvable$/ },
  },
  'the CDN endpoints': {
    path: ({ organizationId }) => `/${organizationId}/cdn`,
    heading: { en: /^CDN$/, fr: /^CDN$/ },
  },
  'the credentials': {
    path: ({ organizationId }) => `/${organizationId}/credentials`,
    heading: { en: /^API credentials$/, fr: /^Identifiants d’API$/ },
  },
  'the buckets': {
    path: ({ organizationId }) => `/${organizationId}/storage`,
    heading: { en: /^Object storage$/, fr: /^Stockage d’objets$/ },
  },
  'a bucket': {
    path: ({ organizationId, bucketId }) => `/${organizationId}/storage/${bucketId}`,
    heading: { en: /^pictures-of-mooring$/, fr: /^pictures-of-mooring$/ },
  },
  'a bucket that is not there': {
    path: ({ organizationId }) => `/${organizationId}/storage/01jzzzzzzzzzzzzzzzzzzzzzzz`,
    heading: { en: /^Bucket not found$/, fr: /^Compartiment introuvable$/ },
  },
  'billing, where nothing was served yet': {
    path: ({ organizationId }) => `/${organizationId}/billing`,
    heading: { en: /^Billing$/, fr: /^Facturation$/ },
  },
  'usage, where nothing was served yet': {
    path: ({ organizationId }) => `/${organizationId}/usage`,
    heading: { en: /^Usage$/, fr: /^Utilisation$/ },
  },
  'the settings': {
    path: ({ organizationId }) => `/${organizationId}/settings`,
    heading: { en: /^Settings$/, fr: /^Paramètres$/ },
  },
  'the profile': {
    path: () => '/identity/profile',
    heading: { en: /^Your profile$/, fr: /^Votre profil$/ },
  },
  'a page that is not there': {
    path: ({ organizationId }) => `/${organizationId}/nowhere`,
    heading: { en: /^Page not found$/, fr: /^Page introuvable$/ },
  },
  'a policy that is not there': {
    path: () => '/legal/nowhere',
    heading: { en: /^Page not found$/, fr: /^Page introuvable$/ },
  },
  'an organization that is not there': {
    path: () => '/01jzzzzzzzzzzzzzzzzzzzzzzz',
    heading: { en: /^Unknown Organization$/, fr: /^Organisation inconnue$/ },
  },
};

/** A window of 1280 by 800 at a zoom of 200 % and of 400 %. */
const ZOOMED = { width: 640, height: 400 };
const ZOOMED_MOST = { width: 320, height: 200 };

const title = (page: Page, name: RegExp) => page.getByRole('heading', { level: 1, name });

/** Returns the words of links, other than those of the main navigation, that are announced as the current page and lead elsewhere. */
const linksMarkedCurrent = (page: Page) =>
  page
    .locator('a[aria-current="page"]:not([aria-label="Main navigation"] a)')
    .evaluateAll((links: HTMLAnchorElement[]) =>
      links.filter(({ pathname }) => pathname !== location.pathname).map(({ textContent }) => textContent),
    );

describe.each(Object.entries(SCREENS))('%s', (_, screen) => {
  it('is accessible in light and dark and fits a phone, a tablet and a zoomed window', async () => {
    const world = await furnishedOnce();
    const { page } = await journey().visitSignedIn({ person: world.person });
    await arrive(page, screen.path(world));
    await title(page, screen.heading.en).waitFor();
    await expectAccessible(page);
    expect(await linksMarkedCurrent(page)).toEqual([]);
    await expectLargeTargets(page);
    await expectFitsPhone(page);
    await expectNothingCut(page, TABLET);
    await expectFits(page, ZOOMED);
    await expectFits(page, ZOOMED_MOST);
  });

  it('speaks French from the first paint and fits a phone', async () => {
    const world = await furnishedOnce();
    const { page } = await journey().visitSignedIn({
      person: world.person,
      locale: 'fr-CA',
      viewport: PHONE,
    });
    await page.goto(screen.path(world), { waitUntil: 'commit' });
    await title(page, screen.heading.fr).waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('fr-CA');
    await expectFitsPhone(page);
    await expectNothingCut(page, ZOOMED_MOST);
  });
});

const EMPTY_SCREENS = {
  '': /^Hello/,
  '/sites': /^Sites$/,
  '/cdn': /^CDN$/,
  '/credentials': /^API credentials$/,
  '/storage': /^Object storage$/,
};

describe('a new person', () => {
  it('finds every empty list accessible and fitting a phone', async () => {
    const { page, organizationId } = await journey().visitSignedIn();
    for (const [path, heading] of Object.entries(EMPTY_SCREENS)) {
      await arrive(page, `/${organizationId}${path}`);
      await title(page, heading).waitFor();
      await expectAccessible(page);
      await expectFitsPhone(page);
    }
  });
});

it('lists on paper have nothing to press, and whole names', async () => {
  const world = await furnishedOnce();
  const { page } = await journey().visitSignedIn({
    person: world.person,
    viewport: { width: 760, height: 1000 },
  });
  for (const path of ['sites', 'cdn', 'storage']) {
    await page.emulateMedia({ media: 'screen' });
    await arrive(page, `/${world.organizationId}/${path}`);
    await page.emulateMedia({ media: 'print' });
    await page
      .getByRole('table')
      .or(page.getByRole('heading', { level: 1 }))
      .first()
      .waitFor();
    const pressable = page.locator('main').locator('button, input, [aria-label^="Settings of"]');
    expect(await pressable.filter({ visible: true }).count(), path).toBe(0);
    const isCut = (names: Element[]) => names.some((name) => name.scrollWidth > name.clientWidth);
    expect(await page.locator('main tbody a').evaluateAll(isCut), path).toBe(false);
  }
});
