import { describe, expect, it } from 'vitest';
import { createRateLimits, type RateLimit, type RateLimitName } from '#server/limits/rate-limits.ts';
import { createResetLink } from '#server/services/identity/accounts/create-reset-link.ts';
import { BrowserClient } from '#tests/support/client/browser-client.ts';
import { newAccount, openInteraction, registerAndSignIn } from '#tests/support/client/sign-in.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';

async function startWith(
  limits: Partial<Record<RateLimitName, RateLimit>>,
  environment: Record<string, string> = {},
) {
  const server = await startConsoleServer({ environment });
  const { account, browser: owner } = await registerAndSignIn(server.baseUrl);
  server.app.rateLimits = createRateLimits(limits);
  return { ...server, account, owner, browser: new BrowserClient(server.baseUrl) };
}

async function expectTooMany(response: Response) {
  expect(response.status).toBe(429);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await response.json()).toMatchObject({ code: 'too_many_requests' });
}

describe('too many', () => {
  it('wrong passwords for one account are refused, and then the correct one too', async () => {
    const { browser, account } = await startWith({ sign_in_account: { points: 2, seconds: 60 } });
    const uid = await openInteraction(browser);
    const send = (password: string) =>
      browser.sendJson('POST', `/identity/interaction/${uid}/sign-in`, { email: account.email, password });
    for (let n = 0; n < 2; n += 1) expect((await send('wrong horse battery')).status).toBe(401);
    await expectTooMany(await send('wrong horse battery'));
    await expectTooMany(await send(account.password));
  });

  it('attempts from one address are refused, whatever accounts they try', async () => {
    const { browser } = await startWith({ sign_in_address: { points: 3, seconds: 60 } });
    const uid = await openInteraction(browser);
    const send = (n: number) =>
      browser.sendJson('POST', `/identity/interaction/${uid}/sign-in`, {
        email: `p${n}@example.ca`,
        password: 'x',
      });
    for (let n = 0; n < 3; n += 1) expect((await send(n)).status).toBe(401);
    await expectTooMany(await send(3));
  });

  it('wrong passwords from many addresses do not lock the owner out of a browser that was signed in before', async () => {
    const limits = { sign_in_account_anywhere: { points: 5, seconds: 900 } };
    const { app, baseUrl, browser, account, owner } = await startWith(limits, { TRUST_PROXY: 'true' });
    const send = async (from: BrowserClient, password: string, address: string) => {
      const uid = await openInteraction(from);
      return from.request(`/identity/interaction/${uid}/sign-in`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: baseUrl, 'x-forwarded-for': address },
        body: JSON.stringify({ email: account.email, password }),
      });
    };
    for (let n = 0; n < 5; n += 1) {
      expect((await send(browser, 'wrong horse battery', `198.51.100.${n}`)).status).toBe(401);
    }
    await expectTooMany(await send(browser, account.password, '198.51.100.77'));

    const cookie = owner.received.find((line) => line.startsWith('known-browser='));
    expect(cookie).toMatch(/; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Lax$/);
    const known = owner.cookie('known-browser') ?? '';
    const { browser: neighbour } = await registerAndSignIn(baseUrl);
    for (const useless of [neighbour.cookie('known-browser') ?? '', `${known.slice(0, -2)}AA`, 'x']) {
      browser.setCookie('known-browser', useless);
      await expectTooMany(await send(browser, account.password, '198.51.100.79'));
    }
    browser.setCookie('known-browser', known);
    app.clock.advance(366 * 86_400_000);
    await expectTooMany(await send(browser, account.password, '198.51.100.79'));
    app.clock.advance(-366 * 86_400_000);
    expect((await send(browser, account.password, '198.51.100.78')).status).toBe(200);
  });

  it('wrong passwords do not lock out an owner who has set another password with the link in an email', async () => {
    const limits = { sign_in_account_anywhere: { points: 1, seconds: 900 } };
    const { app, browser, account } = await startWith(limits);
    const uid = await openInteraction(browser);
    const send = (password: string) =>
      browser.sendJson('POST', `/identity/interaction/${uid}/sign-in`, { email: account.email, password });
    expect((await send('wrong horse battery')).status).toBe(401);
    await expectTooMany(await send(account.password));
    const operator = { kind: 'operator', tokenId: null, name: 'command line', access: 'manage' } as const;
    const context = { app, actor: operator, requestId: 'request', address: '' };
    const { link } = await createResetLink(context, { email: account.email });
    const token = link.split('/').at(-1);
    const password = 'quite another horse';
    expect((await browser.sendJson('POST', '/identity/reset-password', { token, password })).status).toBe(
      200,
    );
    expect((await send(password)).status).toBe(200);
  });

  it('registrations from one address are refused and create no account', async () => {
    const { app, browser } = await startWith({ registration_address: { points: 1, seconds: 60 } });
    const uid = await openInteraction(browser, '?register=1');
    const send = () => browser.sendJson('POST', `/identity/interaction/${uid}/register`, newAccount());
    expect((await send()).status).toBe(200);
    await expectTooMany(await send());
    expect(await app.db.selectFrom('identity_accounts').select('number').execute()).toHaveLength(2);
  });

  it('requests to the identity pages are refused, of any kind', async () => {
    const { browser } = await startWith({ api_principal: { points: 3, seconds: 60 } });
    const send = (path: string) => browser.sendJson('POST', `/identity${path}`, { token: 'x' });
    for (let n = 0; n < 3; n += 1) {
      expect(await (await send('/verify-email')).json()).toMatchObject({ code: 'mail_link_invalid' });
    }
    for (const path of ['/verify-email', '/reset-password/check', '/forgot-password']) {
      await expectTooMany(await send(path));
    }
  });

  it('callbacks and starts from one address are refused', async () => {
    const { browser } = await startWith({ sign_in_redirect_address: { points: 4, seconds: 60 } });
    expect((await browser.request('/auth/callback?state=x&code=y')).status).toBe(303);
    expect((await browser.request('/auth/login')).status).toBe(303);
    expect((await browser.request('/identity/auth?client_id=console')).status).toBe(303);
    expect((await browser.request('/auth/callback?state=x&code=y')).status).toBe(303);
    for (const path of ['/auth/callback?state=x&code=y', '/auth/login', '/identity/auth?client_id=console']) {
      await expectTooMany(await browser.request(path));
    }
  });
});
