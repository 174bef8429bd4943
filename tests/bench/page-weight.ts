import { type Browser, chromium, type Page } from 'playwright';
import { gzipBytes } from '#tests/support/browser/first-scripts.ts';
import { waitUntilAlive } from '#tests/support/browser/wait-until-alive.ts';
import type { SignedInBrowser } from '#tests/support/client/sign-in.ts';
import { CHROMIUM_ARGUMENTS, ensureChromium } from '#tests/support/runner/chromium.ts';
import type { TestServer } from '#tests/support/server/test-server.ts';
import type { BenchResult } from './bench-result.ts';

/** A slow line: what a phone in the country has. */
const SLOW = { latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
/** What a page fetches once it has come to rest counts too. */
const REST_MS = 1500;

interface Visit {
  /** All scripts, each file at gzip -9. */
  scriptBytes: number;
  /** All that came over the line by then, heads included. */
  sentBytes: number;
  /** From the address typed until every control answers. */
  interactiveMs: number;
}

/** What a browser with an empty cache fetches for the first pages of the console over a slow line, and when they answer. */
export async function benchPageWeight(server: TestServer, person: SignedInBrowser): Promise<BenchResult[]> {
  const pages = [
    { name: 'first console page', address: person.landedAt, person },
    { name: 'sites list', address: `${person.landedAt}/sites`, person },
    { name: 'sign-in page', address: '/login', person: null },
    { name: 'sign-in form', address: '/auth/login', person: null },
  ];
  const browser = await chromium.launch({ executablePath: ensureChromium(), args: CHROMIUM_ARGUMENTS });
  const results: BenchResult[] = [];
  try {
    for (const { name, address, person: visitor } of pages) {
      const visit = await visitSlowly(browser, server.consoleUrl, address, visitor);
      results.push(
        { name: `${name}, JS gzip`, value: visit.scriptBytes / 1000, unit: 'KB', target: '< 170 KB' },
        { name: `${name}, sent until it answers`, value: visit.sentBytes / 1000, unit: 'KB' },
        {
          name: `${name}, answers at 400 ms and 50 KB/s`,
          value: visit.interactiveMs / 1000,
          unit: 's',
          target: '< 7 s',
        },
      );
    }
  } finally {
    await browser.close();
  }
  return results;
}

async function visitSlowly(
  browser: Browser,
  consoleUrl: string,
  address: string,
  person: SignedInBrowser | null,
): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const [name = '', value = ''] = person?.cookie.split('=') ?? [];
    if (person) await context.addCookies([{ name, value, url: consoleUrl }]);
    const page = await context.newPage();
    const scripts = weighScripts(page);
    const line = await context.newCDPSession(page);
    await line.send('Network.enable');
    await line.send('Network.emulateNetworkConditions', { offline: false, ...SLOW });
    let sentBytes = 0;
    line.on('Network.loadingFinished', ({ encodedDataLength }) => {
      sentBytes += encodedDataLength;
    });
    const startedAt = performance.now();
    await page.goto(`${consoleUrl}${address}`, { waitUntil: 'commit' });
    await waitUntilAlive(page);
    const interactiveMs = performance.now() - startedAt;
    const sentUntilAlive = sentBytes;
    await page.waitForLoadState('networkidle');
    await page.waitForTimeout(REST_MS);
    return { scriptBytes: await scripts(), sentBytes: sentUntilAlive, interactiveMs };
  } finally {
    await context.close();
  }
}

/** Weighs what a page fetches from now on; call what it returns when the page has come to rest. */
function weighScripts(page: Page): () => Promise<number> {
  const sizes: Promise<number>[] = [];
  page.on('response', (response) => {
    if (!new URL(response.url()).pathname.endsWith('.js')) return;
    sizes.push(response.body().then(gzipBytes));
  });
  return async () => {
    if (sizes.length === 0) throw new Error('the page fetched no script');
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  };
}
