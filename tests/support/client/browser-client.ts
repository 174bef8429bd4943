interface StoredCookie {
  value: string;
  path: string;
}

/**
 * A small browser: a cookie jar per host, no redirects followed unless requested, and a page's own request
 * headers.
 */
export class BrowserClient {
  readonly baseUrl: string;
  /** Every Set-Cookie line so far. */
  readonly received: string[] = [];
  readonly #reachedAt: string;
  readonly #cookies = new Map<string, StoredCookie>();

  readonly #from: string | undefined;

  /**
   * @param reachedAt where the console listens when a proxy in front of it serves `baseUrl`
   * @param from the address that a proxy would say this browser has, for a console that trusts one
   */
  constructor(baseUrl: string, { reachedAt = baseUrl, from }: { reachedAt?: string; from?: string } = {}) {
    this.baseUrl = baseUrl.replace(/\/$/, '');
    this.#reachedAt = reachedAt.replace(/\/$/, '');
    this.#from = from;
  }

  /** The Cookie header for a path of the console, or an empty text. */
  cookieHeader(path = '/'): string {
    return [...this.#cookies]
      .filter(([, cookie]) => path.startsWith(cookie.path))
      .sort(([, a], [, b]) => b.path.length - a.path.length)
      .map(([key, cookie]) => `${key.split(' ')[0]}=${cookie.value}`)
      .join('; ');
  }

  cookie(name: string): string | undefined {
    return [...this.#cookies].find(([key]) => key.split(' ')[0] === name)?.[1].value;
  }

  setCookie(name: string, value: string, path = '/'): void {
    this.#cookies.set(`${name} ${path}`, { value, path });
  }

  clearCookies(): void {
    this.#cookies.clear();
  }

  /** Copies another browser's cookies, like a thief of the whole jar. */
  copyCookiesFrom(other: BrowserClient): void {
    for (const [key, cookie] of other.#cookies) this.#cookies.set(key, cookie);
  }

  /** Sends one request; a redirect is returned, not followed. */
  async request(address: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(address, this.baseUrl);
    const headers = new Headers(init.headers);
    const cookies = this.cookieHeader(url.pathname);
    if (cookies !== '' && !headers.has('cookie')) headers.set('cookie', cookies);
    if (this.#from !== undefined) headers.set('x-forwarded-for', this.#from);
    const reached = url.href.replace(this.baseUrl, this.#reachedAt);
    const response = await fetch(reached, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      this.received.push(line);
      this.#store(line, url.pathname);
    }
    return response;
  }

  /** Sends JSON like a page of the console. */
  async sendJson(method: string, address: string, body: unknown): Promise<Response> {
    const headers = {
      'content-type': 'application/json',
      origin: this.baseUrl,
      'sec-fetch-site': 'same-origin',
    };
    return this.request(address, { method, headers, body: JSON.stringify(body) });
  }

  /**
   * Navigates: follows redirects as long as `mayFollow` allows it and returns the last response with its
   * address.
   */
  async navigate(
    address: string,
    mayFollow: (url: URL) => boolean = () => true,
  ): Promise<{ response: Response; url: URL }> {
    let url = new URL(address, this.baseUrl);
    for (let hops = 0; hops < 12; hops += 1) {
      const response = await this.request(url.href);
      const location = response.headers.get('location');
      if (location === null) return { response, url };
      await response.body?.cancel();
      const next = new URL(location, url);
      if (!mayFollow(next)) return { response, url: next };
      url = next;
    }
    throw new Error(`too many redirects, the last to ${url.pathname}`);
  }

  #store(line: string, requestPath: string): void {
    const [pair = '', ...attributes] = line.split(';');
    const equals = pair.indexOf('=');
    const name = pair.slice(0, equals).trim();
    const value = pair.slice(equals + 1).trim();
    const attribute = (wanted: string) =>
      attributes
        .map((text) => text.trim())
        .find((text) => text.toLowerCase().startsWith(`${wanted}=`))
        ?.slice(wanted.length + 1);
    const path = attribute('path') ?? requestPath;
    const maxAge = attribute('max-age');
    const expires = attribute('expires');
    const isGone =
      maxAge === '0' || (maxAge === undefined && expires !== undefined && Date.parse(expires) <= Date.now());
    if (isGone) this.#cookies.delete(`${name} ${path}`);
    else this.#cookies.set(`${name} ${path}`, { value, path });
  }
}
