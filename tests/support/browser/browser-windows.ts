import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright';

/** What a page of the console can leave behind, except for what the browser has loaded. */
const LEFT_BEHIND = 'local_storage,indexeddb,cache_storage,service_workers,file_systems';

/** Contexts in which something stays installed. */
const altered = new WeakSet<BrowserContext>();

/** Lets the test move the page's clock. The window has it for good, so that none follows it. */
export async function installClock(page: Page): Promise<void> {
  altered.add(page.context());
  await page.clock.install();
}

/**
 * The windows of a browser. Each begins without cookies and storage. One that follows another of the same
 * kind finds the scripts that the browser has loaded, like a visitor who comes back: to load and compile them
 * again takes a fifth of a short visit.
 */
export class BrowserWindows {
  readonly #browser: Browser;
  readonly #open: { context: BrowserContext; kind: string }[] = [];
  /** Contexts whose windows are closed, by the options that they were made with. */
  readonly #closed = new Map<string, BrowserContext[]>();

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** Whether the browser still runs. */
  get isConnected(): boolean {
    return this.#browser.isConnected();
  }

  async open(options: BrowserContextOptions): Promise<Page> {
    const kind = JSON.stringify(options);
    const used = this.#closed.get(kind)?.pop();
    const context = used ?? (await this.#browser.newContext(options));
    this.#open.push({ context, kind });
    const page = await context.newPage();
    if (used) await forgetVisits(page, options.baseURL);
    return page;
  }

  /** Closes all windows, with the pages that they opened. */
  async closeAll(): Promise<void> {
    for (const { context, kind } of this.#open.splice(0)) {
      if (altered.has(context)) {
        await context.close();
        continue;
      }
      await Promise.all(context.pages().map((page) => page.close()));
      this.#closed.set(kind, [...(this.#closed.get(kind) ?? []), context]);
    }
  }

  /** Gives up what the browser has of a program that ends. */
  async forget(baseURL: string): Promise<void> {
    for (const [kind, contexts] of this.#closed) {
      if ((JSON.parse(kind) as BrowserContextOptions).baseURL !== baseURL) continue;
      this.#closed.delete(kind);
      await Promise.all(contexts.map((context) => context.close()));
    }
  }
}

async function forgetVisits(page: Page, origin = ''): Promise<void> {
  await page.context().clearCookies();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: LEFT_BEHIND });
  await devtools.detach();
}
