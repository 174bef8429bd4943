import AxeBuilder from '@axe-core/playwright';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { CHROMIUM_ARGUMENTS } from './chromium.ts';
import { registerAndSignIn, type SignedInBrowser } from './sign-in.ts';
import { startTestServer, type TestServer } from './test-server.ts';

export interface VisitorOptions {
  locale?: 'en-CA' | 'fr-CA';
  scheme?: 'light' | 'dark';
  viewport?: { width: number; height: number };
}

/** A browser window of its own: nothing is shared with other visitors. */
export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** What the page complained about: errors, refused styles or scripts, failed hydration. Every journey ends with none. */
  complaints: string[];
}

export interface Journey {
  server: TestServer;
  browser: Browser;
  /** Opens a window; everything it complains about fails the test at `expectNoComplaints`. */
  visit(options?: VisitorOptions): Promise<Visitor>;
  /** Registers somebody over HTTP and opens a window that is signed in. */
  visitSignedIn(
    options?: VisitorOptions & { full_name?: string },
  ): Promise<Visitor & { person: SignedInBrowser; organizationId: string }>;
}

const PHONE = { width: 360, height: 740 };
export const DESKTOP = { width: 1280, height: 800 };

/** Starts the program and Chromium for a file of journeys, and ends both after it. */
export function startJourney(environment: Record<string, string> = {}): () => Journey {
  let journey: Journey | undefined;
  let browser: Browser | undefined;
  let server: TestServer | undefined;
  beforeAll(async () => {
    server = await startTestServer(environment);
    browser = await chromium.launch({ executablePath: inject('chromiumPath'), args: CHROMIUM_ARGUMENTS });
    journey = createJourney(server, browser);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });
  return () => {
    if (!journey) throw new Error('the journey has not begun');
    return journey;
  };
}

function createJourney(server: TestServer, browser: Browser): Journey {
  const visit = async ({ locale = 'en-CA', scheme = 'light', viewport = DESKTOP }: VisitorOptions = {}) => {
    const context = await browser.newContext({
      baseURL: server.consoleUrl,
      locale,
      colorScheme: scheme,
      viewport,
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      // Chromium reports every 4xx answer; journeys that expect one look at the screen instead.
      const isAnswer = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isAnswer) complaints.push(message.text());
    });
    return { page, context, complaints };
  };
  return {
    server,
    browser,
    visit,
    async visitSignedIn(options = {}) {
      const person = await registerAndSignIn(
        server.consoleUrl,
        options.full_name ? { full_name: options.full_name } : {},
      );
      const visitor = await visit(options);
      const [name = '', value = ''] = person.cookie.split('=');
      await visitor.context.addCookies([{ name, value, url: server.consoleUrl }]);
      return { ...visitor, person, organizationId: person.landedAt.split('/')[1] ?? '' };
    },
  };
}

/** Fails when the window complained about anything. */
export function expectNoComplaints(visitor: Visitor): void {
  expect(visitor.complaints).toEqual([]);
}

/** Fails when axe finds anything on the page as it stands, in light or in dark. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    const { violations } = await new AxeBuilder({ page })
      .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
      .analyze();
    const found = violations.map(
      ({ id, nodes }) => `${scheme} ${id}: ${nodes.map((node) => node.html).join(' | ')}`,
    );
    expect(found).toEqual([]);
  }
}

/** Fails when the page scrolls sideways at the width of a phone. */
export async function expectFitsPhone(page: Page): Promise<void> {
  await page.setViewportSize(PHONE);
  const excess = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(excess).toBeLessThanOrEqual(0);
}
