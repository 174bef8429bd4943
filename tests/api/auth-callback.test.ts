import { describe, expect, it } from 'vitest';
import { BrowserClient } from '#tests/support/client/browser-client.ts';
import { openInteraction, registerAndSignIn, sessionCookieOf } from '#tests/support/client/sign-in.ts';
import { type ConsoleServer, startConsoleServer } from '#tests/support/server/console-server.ts';

const isCallback = (url: URL) => url.pathname === '/auth/callback';

/** Signs in and stops before the callback; `alter` may change the address of the authorization request. */
async function signInUpToCallback(
  browser: BrowserClient,
  account: object,
  alter: (url: URL) => void = () => undefined,
) {
  const begun = await browser.request('/auth/login');
  const authorization = new URL(begun.headers.get('location') ?? '');
  alter(authorization);
  const isPage = (url: URL) => url.pathname.startsWith('/identity/interaction/');
  const { url } = await browser.navigate(authorization.href, (next) => !isPage(next));
  const response = await browser.sendJson('POST', `${url.pathname}/sign-in`, account);
  const { redirect_to } = (await response.json()) as { redirect_to: string };
  const { url: callback } = await browser.navigate(redirect_to, (next) => !isCallback(next));
  expect(isCallback(callback)).toBe(true);
  return callback;
}

async function prepare() {
  const server = await startConsoleServer();
  const { account } = await registerAndSignIn(server.baseUrl);
  return { ...server, account, browser: new BrowserClient(server.baseUrl) };
}

/**
 * Opens a callback and expects to be refused with a code, without a session and without a trace of the
 * secrets.
 */
async function expectRefused(browser: BrowserClient, callback: URL, code: string) {
  const response = await browser.request(callback.href);
  expect(response.status).toBe(303);
  expect(response.headers.get('location')).toBe(`${browser.baseUrl}/login?error=${code}`);
  expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  expect(sessionCookieOf(browser)).toBe('');
}

async function sessionCount({ app }: Pick<ConsoleServer, 'app'>): Promise<number> {
  return (await app.db.selectFrom('sessions').select('id').execute()).length;
}

describe('the callback', () => {
  it('signs in only the browser that started', async () => {
    const { browser, account } = await prepare();
    const callback = await signInUpToCallback(browser, account);
    const response = await browser.request(callback.href);
    expect(response.headers.get('location')).toBe(`${browser.baseUrl}/`);
    expect(sessionCookieOf(browser)).toMatch(/^session=[a-z0-9]{40}$/);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('refuses a stolen address in another browser, which is then not signed in', async () => {
    const { app, browser, account, baseUrl } = await prepare();
    const callback = await signInUpToCallback(browser, account);
    const before = await sessionCount({ app });
    const thief = new BrowserClient(baseUrl);
    await expectRefused(thief, callback, 'sign_in_expired');
    await openInteraction(thief);
    await expectRefused(thief, callback, 'sign_in_expired');
    expect(await sessionCount({ app })).toBe(before);
  });

  it('refuses a state that this browser did not start, is missing, or is changed', async () => {
    const { browser, account } = await prepare();
    const callback = await signInUpToCallback(browser, account);
    for (const state of ['', 'x', `${callback.searchParams.get('state')}x`]) {
      const wrong = new URL(callback);
      wrong.searchParams.set('state', state);
      await expectRefused(browser, wrong, 'sign_in_expired');
    }
    callback.searchParams.delete('state');
    await expectRefused(browser, callback, 'sign_in_expired');
  });

  it('refuses the code of one sign-in with the state of another in the same browser', async () => {
    const { browser, account } = await prepare();
    const begun = await browser.request('/auth/login');
    const otherState = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
    const callback = await signInUpToCallback(browser, account);
    callback.searchParams.set('state', otherState);
    await expectRefused(browser, callback, 'sign_in_expired');
  });

  it('refuses an ID token with another nonce', async () => {
    const { browser, account } = await prepare();
    const callback = await signInUpToCallback(browser, account, (url) =>
      url.searchParams.set('nonce', 'another'),
    );
    await expectRefused(browser, callback, 'sign_in_refused');
  });

  it('refuses a code that was requested with another challenge', async () => {
    const { browser, account } = await prepare();
    const callback = await signInUpToCallback(browser, account, (url) =>
      url.searchParams.set('code_challenge', 'a'.repeat(43)),
    );
    await expectRefused(browser, callback, 'sign_in_expired');
  });

  it('refuses a changed and an unknown issuer', async () => {
    const { browser, account } = await prepare();
    const callback = await signInUpToCallback(browser, account);
    callback.searchParams.set('iss', 'https://evil.example');
    await expectRefused(browser, callback, 'sign_in_refused');
  });

  it('refuses to be used twice, even with all cookies of the first time', async () => {
    const { app, browser, account, baseUrl } = await prepare();
    const callback = await signInUpToCallback(browser, account);
    const thief = new BrowserClient(baseUrl);
    thief.copyCookiesFrom(browser);
    await browser.request(callback.href);
    expect(sessionCookieOf(browser)).not.toBe('');
    const before = await sessionCount({ app });
    await expectRefused(thief, callback, 'sign_in_expired');
    expect(await sessionCount({ app })).toBe(before);
  });

  it('used twice simultaneously signs in once', async () => {
    const { app, browser, account } = await prepare();
    const callback = await signInUpToCallback(browser, account);
    const before = await sessionCount({ app });
    const cookie = browser.cookieHeader('/auth/callback');
    const responses = await Promise.all(
      [1, 2, 3].map(() => browser.request(callback.href, { headers: { cookie } })),
    );
    for (const response of responses) expect(response.status).toBe(303);
    expect((await sessionCount({ app })) - before).toBe(1);
  });

  it('opened again with the back button redirects a signed-in person', async () => {
    const { browser, account } = await prepare();
    const callback = await signInUpToCallback(browser, account);
    await browser.request(callback.href);
    const again = await browser.request(callback.href);
    expect(again.headers.get('location')).toBe(`${browser.baseUrl}/`);
  });

  it('reports that the issuer refused, without its words', async () => {
    const { browser } = await prepare();
    const begun = await browser.request('/auth/login');
    const authorization = new URL(begun.headers.get('location') ?? '');
    const callback = new URL('/auth/callback', browser.baseUrl);
    callback.searchParams.set('error', 'access_denied');
    callback.searchParams.set('error_description', '<script>alert(1)</script>');
    callback.searchParams.set('iss', `${browser.baseUrl}/identity`);
    callback.searchParams.set('state', authorization.searchParams.get('state') ?? '');
    await expectRefused(browser, callback, 'sign_in_refused');
  });

  it('refuses a sign-in that took more than an hour', async () => {
    const { app, browser, account } = await prepare();
    const callback = await signInUpToCallback(browser, account);
    app.clock.advance(61 * 60_000);
    await expectRefused(browser, callback, 'sign_in_expired');
  });

  it('never adopts a session id that was planted in the browser', async () => {
    const { browser, account, baseUrl } = await prepare();
    const planted = 'a'.repeat(40);
    browser.setCookie('session', planted);
    const callback = await signInUpToCallback(browser, account);
    await browser.request(callback.href);
    expect(browser.cookie('session')).not.toBe(planted);
    const attacker = new BrowserClient(baseUrl);
    attacker.setCookie('session', planted);
    expect((await attacker.request('/api/v1/user')).status).toBe(401);
  });

  it('works despite malformed cookies', async () => {
    const { browser, account } = await prepare();
    browser.setCookie('x', '%');
    browser.setCookie('sign-in-000000000000', 'v1.not.sealed.here');
    const callback = await signInUpToCallback(browser, account);
    await browser.request(callback.href);
    expect((await browser.request('/api/v1/user')).status).toBe(200);
  });
});

describe('the start of a sign-in', () => {
  it('uses PKCE, state and nonce, all new every time', async () => {
    const { baseUrl } = await startConsoleServer();
    const ask = async () => {
      const begun = await new BrowserClient(baseUrl).request('/auth/login');
      expect(begun.status).toBe(303);
      expect(begun.headers.getSetCookie()[0]).toMatch(/; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax$/);
      return new URL(begun.headers.get('location') ?? '').searchParams;
    };
    const [first, second] = [await ask(), await ask()];
    expect(first.get('response_type')).toBe('code');
    expect(first.get('code_challenge_method')).toBe('S256');
    expect(first.get('redirect_uri')).toBe(`${baseUrl}/auth/callback`);
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(first.get(name)).toMatch(/^[\w-]{43}$/);
      expect(first.get(name)).not.toBe(second.get(name));
    }
  });

  it.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/..//evil.example',
    '/%09/evil.example',
  ])('never leads to %s afterwards', async (target) => {
    const { baseUrl } = await startConsoleServer();
    const { browser } = await registerAndSignIn(baseUrl);
    const { url } = await browser.navigate(`/auth/login?return_to=${encodeURIComponent(target)}`, (next) => {
      expect(next.origin).toBe(baseUrl);
      return true;
    });
    expect(url.href === `${baseUrl}/` || url.origin === baseUrl).toBe(true);
  });

  it('redirects to the public address first when opened at another name of this machine', async () => {
    const { baseUrl } = await startConsoleServer();
    const elsewhere = baseUrl.replace('127.0.0.1', 'localhost');
    const begun = await new BrowserClient(elsewhere).request('/auth/login?register=1');
    expect(begun.headers.get('location')).toBe(`${baseUrl}/auth/login?register=1&moved=1`);
    const moved = await new BrowserClient(elsewhere).request('/auth/login?moved=1');
    expect(moved.headers.get('location')).toContain(`${baseUrl}/identity/auth?`);
  });

  it('repeated many times does not fill the browser with cookies', async () => {
    const { baseUrl } = await startConsoleServer();
    const browser = new BrowserClient(baseUrl);
    for (let n = 0; n < 20; n += 1) await browser.request('/auth/login');
    expect(browser.cookieHeader('/').split('; ').length).toBeLessThanOrEqual(4);
    expect(browser.cookieHeader('/').length).toBeLessThan(4000);
    expect(await openInteraction(browser)).not.toBe('');
  });

  it.each([
    ['POST', '/auth/login', 'GET'],
    ['POST', '/auth/callback', 'GET'],
    ['GET', '/auth/logout', 'POST'],
  ])('answers %s %s with 405 and what is allowed', async (method, path, allowed) => {
    const { baseUrl } = await startConsoleServer();
    const response = await new BrowserClient(baseUrl).request(path, { method, headers: { origin: baseUrl } });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allowed);
  });
});
