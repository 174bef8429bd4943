import { gzipSync } from 'node:zlib';
import { chromium, type Page } from 'playwright';
import { CHROMIUM_ARGUMENTS, ensureChromium } from '#tests/support/chromium.ts';
import type { SignedInBrowser } from '#tests/support/sign-in.ts';
import type { TestServer } from '#tests/support/test-server.ts';
import type { BenchResult } from './bench-result.ts';

/** What a page fetches until it has settled counts too. */
const REST_MS = 1500;

/**
 * The JavaScript that a browser with an empty cache fetches for the first page of the console, each file at
 * gzip -9.
 */
export async function benchPageWeight(server: TestServer, person: SignedInBrowser): Promise<BenchResult[]> {
  const browser = await chromium.launch({ executablePath: ensureChromium(), args: CHROMIUM_ARGUMENTS });
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const [name = '', value = ''] = person.cookie.split('=');
    await context.addCookies([{ name, value, url: server.consoleUrl }]);
    const bytes = await weighScripts(await context.newPage(), `${server.consoleUrl}${person.landedAt}`);
    return [{ name: 'first console page, JS gzip', value: bytes / 1000, unit: 'KB', target: '< 250 KB' }];
  } finally {
    await browser.close();
  }
}

async function weighScripts(page: Page, address: string): Promise<number> {
  const scripts: Promise<number>[] = [];
  page.on('response', (response) => {
    if (!new URL(response.url()).pathname.endsWith('.js')) return;
    scripts.push(response.body().then((body) => gzipSync(body, { level: 9 }).length));
  });
  await page.goto(address, { waitUntil: 'networkidle' });
  await page.waitForTimeout(REST_MS);
  const sizes = await Promise.all(scripts);
  if (sizes.length === 0) throw new Error('the page fetched no script');
  return sizes.reduce((sum, size) => sum + size, 0);
}
