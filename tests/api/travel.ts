import type { BrowserClient } from '#tests/support/client/browser-client.ts';

/**
 * Follows redirects from one console to another like one browser: each console sees only its own cookies.
 * Returns the final address.
 */
export async function travel(browsers: readonly BrowserClient[], address: string): Promise<URL> {
  let url = new URL(address);
  for (let hops = 0; hops < 20; hops += 1) {
    const browser = browsers.find(({ baseUrl }) => baseUrl === url.origin);
    if (!browser) throw new Error(`led away to ${url.origin}`);
    const response = await browser.request(url.href);
    await response.body?.cancel();
    const location = response.headers.get('location');
    if (location === null) return url;
    url = new URL(location, url);
  }
  throw new Error(`too many redirects, the last to ${url.pathname}`);
}
