import { describe, expect, it } from 'vitest';
import { BrowserClient } from '#tests/support/client/browser-client.ts';
import {
  finishInteraction,
  newAccount,
  openInteraction,
  registerAndSignIn,
  sessionCookieOf,
  signIn,
} from '#tests/support/client/sign-in.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';

async function whoAmI(browser: BrowserClient): Promise<string | undefined> {
  const response = await browser.request('/api/v1/user');
  const { login } = (await response.json()) as { login?: string };
  return login;
}

async function signOut(browser: BrowserClient): Promise<Response> {
  return browser.request('/auth/logout', { method: 'POST', headers: { origin: browser.baseUrl } });
}

describe('a new person', () => {
  it('registers, arrives signed in with a workspace, signs out and signs in again', async () => {
    const { app, baseUrl } = await startConsoleServer();
    const { browser, account, landedAt } = await registerAndSignIn(baseUrl);
    expect(landedAt).toBe('/');
    expect(await whoAmI(browser)).toBe(account.login);
    const organizations = await app.db.selectFrom('organizations').selectAll().execute();
    expect(organizations.map((row) => row.name)).toEqual([account.full_name]);
    expect(organizations[0]?.external_id).toMatch(/^personal-\d+$/);

    expect((await signOut(browser)).status).toBe(204);
    expect(browser.cookie('session')).toBeUndefined();
    expect(await whoAmI(browser)).toBeUndefined();

    const again = new BrowserClient(baseUrl);
    await signIn(again, account);
    expect(await whoAmI(again)).toBe(account.login);
    expect(await app.db.selectFrom('organizations').selectAll().execute()).toHaveLength(1);
  });

  it('arrives where the sign-in was requested', async () => {
    const { baseUrl } = await startConsoleServer();
    const { account } = await registerAndSignIn(baseUrl);
    const landed = await signIn(
      new BrowserClient(baseUrl),
      account,
      '?return_to=%2Fabc%2Fcdn%3Fcreate%3Dtrue',
    );
    expect(landed.href).toBe(`${baseUrl}/abc/cdn?create=true`);
  });

  it('sees the registration with the register link and the sign-in with the other, in the requested language', async () => {
    const { baseUrl } = await startConsoleServer();
    for (const [query, expected] of [
      ['?register=1&ui_locales=fr-CA', { prompt: 'create', ui_locales: 'fr-CA', login_hint: null }],
      [
        '?login_hint=ada%40example.ca',
        { prompt: 'login', ui_locales: 'en-CA', login_hint: 'ada@example.ca' },
      ],
    ] as const) {
      const browser = new BrowserClient(baseUrl);
      const uid = await openInteraction(browser, query);
      const details = await browser.request(`/identity/interaction/${uid}/details`);
      expect(details.headers.get('cache-control')).toBe('no-store');
      expect(await details.json()).toEqual({ ...expected, registration: { is_possible: true, domains: [] } });
    }
  });

  it('may register on the sign-in page and sign in on the registration page', async () => {
    const { baseUrl } = await startConsoleServer();
    const account = newAccount();
    const first = new BrowserClient(baseUrl);
    const signInPage = await openInteraction(first);
    const registered = await first.sendJson('POST', `/identity/interaction/${signInPage}/register`, account);
    await finishInteraction(first, registered);
    expect(await whoAmI(first)).toBe(account.login);
    const second = new BrowserClient(baseUrl);
    await signIn(second, account, '?register=1');
    expect(await whoAmI(second)).toBe(account.login);
  });

  it('is told what is wrong, by code and field, and can try again on the same page', async () => {
    const { baseUrl } = await startConsoleServer();
    const { account } = await registerAndSignIn(baseUrl);
    const browser = new BrowserClient(baseUrl);
    const uid = await openInteraction(browser, '?register=1');
    const send = (step: string, body: unknown) =>
      browser.sendJson('POST', `/identity/interaction/${uid}/${step}`, body);
    const taken = await send('register', { ...newAccount(), email: account.email });
    expect(taken.status).toBe(409);
    expect(taken.headers.get('content-type')).toBe('application/problem+json');
    expect(await taken.json()).toMatchObject({ code: 'account_email_taken', errors: [{ path: 'email' }] });
    const weak = await send('register', { ...newAccount(), password: 'short' });
    expect(weak.status).toBe(400);
    expect(await weak.json()).toMatchObject({ code: 'invalid_input', errors: [{ path: 'password' }] });
    const wrong = await send('sign-in', { email: account.email, password: 'wrong horse battery' });
    expect(wrong.status).toBe(401);
    expect(await wrong.json()).toMatchObject({ code: 'sign_in_failed' });
    await finishInteraction(browser, await send('sign-in', account));
    expect(await whoAmI(browser)).toBe(account.login);
  });

  it('registering one email address in two browsers simultaneously creates one person', async () => {
    const { app, baseUrl } = await startConsoleServer();
    const { email } = newAccount();
    const attempts = await Promise.allSettled([1, 2].map(() => registerAndSignIn(baseUrl, { email })));
    expect(attempts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = attempts.find((attempt) => attempt.status === 'rejected');
    expect(String(refused?.reason)).toContain('account_email_taken');
    expect(await app.db.selectFrom('users').selectAll().execute()).toHaveLength(1);
  });

  it('using a link of another browser, or an expired one, is told that the sign-in expired', async () => {
    const { baseUrl } = await startConsoleServer();
    const { account } = await registerAndSignIn(baseUrl);
    const browser = new BrowserClient(baseUrl);
    const uid = await openInteraction(browser);
    const stranger = new BrowserClient(baseUrl);
    await openInteraction(stranger);
    for (const response of [
      await stranger.request(`/identity/interaction/${uid}/details`),
      await stranger.sendJson('POST', `/identity/interaction/${uid}/sign-in`, account),
      await new BrowserClient(baseUrl).request(`/identity/interaction/${uid}/details`),
    ]) {
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ code: 'sign_in_expired' });
    }
    const response = await browser.sendJson('POST', `/identity/interaction/${uid}/sign-in`, account);
    await finishInteraction(browser, response);
    const late = await browser.sendJson('POST', `/identity/interaction/${uid}/sign-in`, account);
    expect(await late.json()).toMatchObject({ code: 'sign_in_expired' });
    const { url } = await browser.navigate(`/identity/auth/${uid}`);
    expect(`${url.pathname}${url.search}`).toBe('/login?error=sign_in_expired');
  });
});

describe('signing out', () => {
  it('ends the session at the identity service: the next sign-in asks for the password', async () => {
    const { baseUrl } = await startConsoleServer();
    const { browser } = await registerAndSignIn(baseUrl);
    const silent = await browser.navigate('/auth/login');
    expect(silent.url.pathname).toBe('/');
    await signOut(browser);
    expect(await openInteraction(browser)).not.toBe('');
  });

  it('invalidates the old cookie, and is idempotent, even when signed out', async () => {
    const { baseUrl } = await startConsoleServer();
    const { browser, cookie } = await registerAndSignIn(baseUrl);
    const before = await browser.request('/api/v1/user', { headers: { cookie } });
    expect(before.status).toBe(200);
    for (let n = 0; n < 2; n += 1) expect((await signOut(browser)).status).toBe(204);
    const after = await browser.request('/api/v1/user', { headers: { cookie } });
    expect(after.status).toBe(401);
  });

  it('does not affect the person’s other browsers', async () => {
    const { baseUrl } = await startConsoleServer();
    const { browser, account } = await registerAndSignIn(baseUrl);
    const other = new BrowserClient(baseUrl);
    await signIn(other, account);
    await signOut(browser);
    expect(await whoAmI(other)).toBe(account.login);
  });
});

describe('signing in at a browser that another person used', () => {
  it('becomes the new person, and the old session ends', async () => {
    const { baseUrl } = await startConsoleServer();
    const { browser, cookie } = await registerAndSignIn(baseUrl);
    const account = newAccount({ full_name: 'Grace Hopper' });
    const uid = await openInteraction(browser, '?register=1');
    await finishInteraction(
      browser,
      await browser.sendJson('POST', `/identity/interaction/${uid}/register`, account),
    );
    expect(await whoAmI(browser)).toBe(account.login);
    const old = await browser.request('/api/v1/user', { headers: { cookie } });
    expect(old.status).toBe(401);
    await signOut(browser);
    expect(await openInteraction(browser)).not.toBe('');
  });

  it('in two tabs at once ends with the person who finished last', async () => {
    const { baseUrl } = await startConsoleServer();
    const { account: grace } = await registerAndSignIn(baseUrl);
    const { account: ada } = await registerAndSignIn(baseUrl);
    const browser = new BrowserClient(baseUrl);
    const firstTab = await openInteraction(browser);
    const cookies = new BrowserClient(baseUrl);
    cookies.copyCookiesFrom(browser);
    await signIn(browser, grace);
    expect(await whoAmI(browser)).toBe(grace.login);
    browser.copyCookiesFrom(cookies);
    const response = await browser.sendJson('POST', `/identity/interaction/${firstTab}/sign-in`, ada);
    await finishInteraction(browser, response);
    expect(await whoAmI(browser)).toBe(ada.login);
  });

  it('gives a new session id even to the same person', async () => {
    const { app, baseUrl } = await startConsoleServer();
    const { browser, account, cookie } = await registerAndSignIn(baseUrl);
    await browser.navigate('/auth/login');
    expect(sessionCookieOf(browser)).not.toBe(cookie);
    expect(await whoAmI(browser)).toBe(account.login);
    expect(await app.db.selectFrom('sessions').selectAll().execute()).toHaveLength(1);
  });
});
