import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright';

/** What a page of the console can leave behind, except for what the browser has loaded. */
const LEFT_BEHIND = 'local_storage,indexeddb,cache_storage,service_workers,file_systems';

/** How many contexts without a window are kept; each has a process. */
const KEPT = 5;

/** Contexts in which something stays installed. */
const altered = new WeakSet<BrowserContext>();

/** Lets the test move the page's clock. The window has it for good, so that none follows it. */
export async function installClock(page: Page): Promise<void> {
  altered.add(page.context());
  await page.clock.install();
}

interface WindowContext {
  context: BrowserContext;
  /** Makes windows one after the other share the process in which scripts are compiled. */
  keeper: Page;
  /** The options that it was made with. */
  kind: string;
}

/**
 * The windows of a browser. Each begins without cookies and storage. One that follows another of the same
 * kind finds what the browser has loaded and compiled, like a visitor who comes back: to do that again takes a
 * third of a short visit.
 */
export class BrowserWindows {
  readonly #browser: Browser;
  readonly #open: WindowContext[] = [];
  /** Contexts whose windows are closed, the last one last. */
  readonly #closed: WindowContext[] = [];

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** Whether the browser still runs. */
  get isConnected(): boolean {
    return this.#browser.isConnected();
  }

  async open({ viewport, colorScheme, ...options }: BrowserContextOptions): Promise<Page> {
    const kind = JSON.stringify(options);
    const place = this.#closed.findLastIndex((closed) => closed.kind === kind);
    const [used] = place === -1 ? [] : this.#closed.splice(place, 1);
    const made = used ?? (await this.#makeContext(options, kind));
    this.#open.push(made);
    const page = await made.context.newPage();
    if (used) await forgetVisits(page, options.baseURL);
    if (viewport) await page.setViewportSize(viewport);
    if (colorScheme) await page.emulateMedia({ colorScheme });
    return page;
  }

  async #makeContext(options: BrowserContextOptions, kind: string): Promise<WindowContext> {
    const context = await this.#browser.newContext(options);
    return { context, kind, keeper: await context.newPage() };
  }

  /** Closes all windows, with the pages that they opened. */
  async closeAll(): Promise<void> {
    for (const window of this.#open.splice(0)) {
      const { context, keeper } = window;
      if (altered.has(context)) {
        await context.close();
        continue;
      }
      const pages = context.pages().filter((page) => page !== keeper);
      await Promise.all(pages.map((page) => page.close()));
      this.#closed.push(window);
    }
    const tooMany = this.#closed.splice(0, Math.max(0, this.#closed.length - KEPT));
    await Promise.all(tooMany.map(({ context }) => context.close()));
  }

  /** Gives up what the browser has of a program that ends. */
  async forget(baseURL: string): Promise<void> {
    const isOfProgram = ({ kind }: WindowContext) =>
      (JSON.parse(kind) as BrowserContextOptions).baseURL === baseURL;
    const forgotten = this.#closed.filter(isOfProgram);
    const others = this.#closed.filter((window) => !isOfProgram(window));
    this.#closed.splice(0, Infinity, ...others);
    await Promise.all(forgotten.map(({ context }) => context.close()));
  }
}

async function forgetVisits(page: Page, origin = ''): Promise<void> {
  await page.context().clearCookies();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: LEFT_BEHIND });
  await devtools.detach();
}
