import { type BrowserContext, chromium, type Locator, type Page } from 'playwright';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import { type RestClient, restClient } from '../client/rest-client.ts';
import { homeOf, registerAndSignIn, type SignedInBrowser } from '../client/sign-in.ts';
import { CHROMIUM_ARGUMENTS, SHORT_LIVED } from '../runner/chromium.ts';
import { shareServer } from '../server/share-server.ts';
import { type RunningServer, startTestServer, type TestServer } from '../server/test-server.ts';
import { COLOURS, EVERYTHING, findViolations } from './axe.ts';
import { BrowserWindows } from './browser-windows.ts';
import { waitUntilAlive } from './wait-until-alive.ts';

export interface VisitorOptions {
  locale?: 'en-CA' | 'fr-CA';
  scheme?: 'light' | 'dark';
  viewport?: { width: number; height: number };
  userAgent?: string;
  /** What the journey provokes on purpose, such as the report of a failure that the screen then shows. */
  provoked?: RegExp;
}

/** A separate browser window: other visitors share no cookies and no storage with it. */
export interface Visitor {
  page: Page;
  context: BrowserContext;
  /**
   * Errors reported by the page: errors, refused styles or scripts, failed hydration. Any of them fails the
   * test.
   */
  complaints: string[];
  /** The latest responses of the server's interfaces, for the report of a test that fails. */
  responses: string[];
}

export interface SignedInVisitor extends Visitor {
  person: SignedInBrowser;
  organizationId: string;
  /** Calls `/api/v1` as the person. */
  api: RestClient;
}

export interface Journey<Server extends RunningServer = RunningServer> {
  server: Server;
  /** Opens a window. */
  visit(options?: VisitorOptions): Promise<Visitor>;
  /** Registers a person over HTTP and opens a signed-in window; with a `person`, another window of theirs. */
  visitSignedIn(
    options?: VisitorOptions & { full_name?: string; person?: SignedInBrowser },
  ): Promise<SignedInVisitor>;
}

const RESPONSES_KEPT = 12;

export const PHONE = { width: 360, height: 740 };
/** Wide enough for the navigation beside the page, which then is hardly wider than on a phone. */
export const TABLET = { width: 780, height: 1000 };
export const DESKTOP = { width: 1280, height: 800 };

/** Begins the journeys of a file in the shared program. */
export function startJourney(): () => Journey {
  return beginJourney(async () => ({ server: shareServer() }));
}

/** Begins the journeys of a file in a program of their own: with these settings, or with the limits of an address to themselves. */
export function startOwnJourney(environment: Record<string, string> = {}): () => Journey<TestServer> {
  return beginJourney(async () => {
    const server = await startTestServer(environment);
    return { server, close: server.close };
  });
}

/**
 * The windows of this worker, whose files share their modules: what its browser has loaded and compiled stays from one
 * file to the next. The browser ends with the worker.
 */
let workerWindows: BrowserWindows | undefined;

async function openWorkerWindows(): Promise<BrowserWindows> {
  if (workerWindows?.isConnected) return workerWindows;
  const browser = await chromium.launch({
    executablePath: inject('chromiumPath'),
    args: [...CHROMIUM_ARGUMENTS, ...SHORT_LIVED],
  });
  workerWindows = new BrowserWindows(browser);
  return workerWindows;
}

/** Every window opened in a test is closed after it, and fails it when the page reported any error. */
function beginJourney<Server extends RunningServer>(
  reach: () => Promise<{ server: Server; close?(): Promise<void> }>,
): () => Journey<Server> {
  let journey: Journey<Server> | undefined;
  let windows: BrowserWindows | undefined;
  let closeServer: (() => Promise<void>) | undefined;
  const visitors: Visitor[] = [];
  beforeAll(async () => {
    const { server, close } = await reach();
    closeServer = close;
    windows = await openWorkerWindows();
    journey = createJourney(server, windows, visitors);
  });
  afterEach(async ({ task }) => {
    const opened = visitors.splice(0);
    const failure = task.result?.state === 'fail' ? task.result.errors?.at(-1) : undefined;
    if (failure) for (const visitor of opened) failure.message += await reportWindow(visitor);
    await windows?.closeAll();
    expect(opened.flatMap(({ complaints }) => complaints)).toEqual([]);
  });
  afterAll(async () => {
    if (closeServer && journey) await windows?.forget(journey.server.consoleUrl);
    await closeServer?.();
  });
  return () => {
    if (!journey) throw new Error('the journey has not begun');
    return journey;
  };
}

/** Returns what a window shows, and what its server answered last: a race on a busy machine may not come again. */
async function reportWindow({ page, responses }: Visitor): Promise<string> {
  const [TEXT_MAX, WAIT_MS] = [1_500, 2_000];
  const text = await page
    .locator('body')
    .innerText({ timeout: WAIT_MS })
    .catch((error: unknown) => String(error));
  return ['', `A window was at ${page.url()}`, ...responses, text.slice(0, TEXT_MAX)].join('\n');
}

function createJourney<Server extends RunningServer>(
  server: Server,
  windows: BrowserWindows,
  visitors: Visitor[],
): Journey<Server> {
  const visit = async (options: VisitorOptions = {}) => {
    const { locale = 'en-CA', scheme = 'light', viewport = DESKTOP, userAgent, provoked } = options;
    const page = await windows.open({
      baseURL: server.consoleUrl,
      locale,
      colorScheme: scheme,
      viewport,
      userAgent,
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    // Libraries try what the policy forbids, and catch the error.
    await page.addInitScript(() =>
      document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
        throw new Error(`${violatedDirective} forbids ${blockedURI}`);
      }),
    );
    const visitor: Visitor = { page, context: page.context(), complaints: [], responses: [] };
    page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (!pathname.startsWith('/api/')) return;
      visitor.responses.push(`${response.status()} ${pathname}`);
      visitor.responses.splice(0, visitor.responses.length - RESPONSES_KEPT);
    });
    const complain = (text: string) => {
      if (!provoked?.test(text)) visitor.complaints.push(text);
    };
    page.on('pageerror', (error) => complain(String(error)));
    page.on('console', (message) => {
      // Chromium reports every 4xx response; journeys that expect one check the screen instead.
      const isAnswer = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isAnswer) complain(message.text());
    });
    visitors.push(visitor);
    return visitor;
  };
  return {
    server,
    visit,
    async visitSignedIn({ full_name, person: known, ...options } = {}) {
      const person = known ?? (await registerAndSignIn(server.consoleUrl, full_name ? { full_name } : {}));
      const visitor = await visit(options);
      const [name = '', value = ''] = person.cookie.split('=');
      await visitor.context.addCookies([{ name, value, url: server.consoleUrl }]);
      const api = restClient(server.consoleUrl, { cookie: person.cookie, origin: server.consoleUrl });
      return { ...visitor, person, organizationId: homeOf(person), api };
    },
  };
}

/** Keeps the page from noticing that the server is back: only a press on Retry then repeats what failed. */
export async function hideServerReturn(page: Page): Promise<void> {
  await page.route('**/healthz', (route) => route.abort());
}

/** Opens a page and waits until it is interactive. */
export async function arrive(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await waitUntilAlive(page);
}

/**
 * Presses Tab until the control has the focus, like a person without a mouse.
 * @throws when Tab never reaches it
 */
export async function tabTo(page: Page, control: Locator): Promise<void> {
  const TABS_MAX = 60;
  // To look the control up by its name at each press takes longer than all the rest.
  let found = await control.elementHandle();
  for (let tabs = 0; tabs < TABS_MAX; tabs += 1) {
    const state = await found?.evaluate((element) => [
      element.isConnected,
      element === document.activeElement,
    ]);
    const [isThere, isFocused] = state ?? [];
    if (isFocused) return;
    if (!isThere) found = await control.elementHandle();
    await page.keyboard.press('Tab');
  }
  throw new Error(`${TABS_MAX} times Tab does not reach ${control}`);
}

/** Whether the control has the focus. */
export async function hasFocus(control: Locator): Promise<boolean> {
  return control.evaluate((element) => element === document.activeElement);
}

/** Fails when axe finds anything on the page as it is, in light or dark mode. */
export async function expectAccessible(page: Page): Promise<void> {
  const found: string[] = [];
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await page.waitForFunction(
      (wanted) => document.documentElement.dataset.mantineColorScheme === wanted,
      scheme,
    );
    await page.evaluate(settleTransitions);
    const violations = await findViolations(page, scheme === 'light' ? EVERYTHING : COLOURS);
    for (const { id, nodes } of violations) {
      for (const { html, failureSummary } of nodes) found.push(`${scheme} ${id}: ${html} ${failureSummary}`);
    }
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  expect(found).toEqual([]);
}

/** Waits, inside the page, until no colour transition is running. */
async function settleTransitions(): Promise<void> {
  const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
  await Promise.allSettled(transitions.map((transition) => transition.finished));
}

/** Fails when the page scrolls horizontally at the width of a phone, once its layout has settled. */
export function expectFitsPhone(page: Page): Promise<void> {
  return expectFits(page, PHONE);
}

/** Fails when the page scrolls horizontally in a window of this size, once its layout has settled. */
export async function expectFits(page: Page, size: { width: number; height: number }): Promise<void> {
  const before = page.viewportSize();
  await page.setViewportSize(size);
  const excess = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  await expect.poll(excess).toBeLessThanOrEqual(0);
  if (before) await page.setViewportSize(before);
}

/** Fails when words of the page are cut off, or stand letter under letter, in a window of this size. */
export async function expectNothingCut(page: Page, size: { width: number; height: number }): Promise<void> {
  const before = page.viewportSize();
  await page.setViewportSize(size);
  await expect.poll(() => page.evaluate(findCutTexts)).toEqual([]);
  if (before) await page.setViewportSize(before);
}

/** Inside the page: returns the texts of its main part that cannot be read whole. */
function findCutTexts(): string[] {
  const LETTER_PX = 32;
  const LINES_PX = 96;
  const edge = document.querySelector('main')?.getBoundingClientRect().right ?? 0;
  const isHidden = (element: Element | null): boolean =>
    element !== null && (getComputedStyle(element).clipPath !== 'none' || isHidden(element.parentElement));
  const isCut = (element: Element) => {
    const words = [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE);
    if (isHidden(element) || words.every(({ textContent }) => textContent?.trim() === '')) return false;
    const { right, width, height } = element.getBoundingClientRect();
    const isClipped = getComputedStyle(element).overflowX === 'hidden';
    return (
      (isClipped && element.scrollWidth > element.clientWidth + 1) ||
      right > edge + 1 ||
      (width < LETTER_PX && height > LINES_PX)
    );
  };
  return [...document.querySelectorAll('main *')].filter(isCut).map(({ textContent }) => textContent ?? '');
}
